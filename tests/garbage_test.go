package serbench

import "testing"

// Samples of a millisecond, of 1,000 passes each; the smallest heap that Go has collects every 2 MB or more.
func TestSamplesAreLongerWhereEverySecondOneWouldHaveACollection(t *testing.T) {
	const iterations, sampleNs = 1000, 1_000_000
	lengthOf := func(bytesOfPass int64) int64 {
		of := sample{iterations: iterations, elapsedNs: sampleNs}
		of.garbage.allocatedBytes = bytesOfPass * iterations
		return enoughForGarbage(of, iterations, sampleNs)
	}
	const most = longestForGarbage * iterations
	for _, little := range []int64{0, 1, 16} { // 20 of them at most: 320 kB
		if found := lengthOf(little); found != iterations {
			t.Error("found", found, "passes, each of which leaves", little, "bytes, expected", iterations)
		}
	}
	if found := lengthOf(1 << 12); found <= iterations || found > most { // 4 MB in a sample, 80 in the longest
		t.Error("found", found, "passes, each of which leaves 4 kB, expected more than", iterations, "up to", most)
	}
}

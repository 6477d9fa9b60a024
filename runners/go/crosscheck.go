//go:build crosscheck

// Go's own testing.B beside our sampler in one measuring program, so that both time the very same code at the
// same addresses (./serbench doctor --cross-check).
//
// The first word of the command line says who takes the samples; all that follows is as docs/protocol.md has
// it.

package serbench

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

func init() {
	name := ""
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	switch name {
	case "serbench":
	case "testing":
		sampleBy = (*timed).sampleByTesting
	default:
		fmt.Fprintf(os.Stderr, "found sampler '%s', expected serbench or testing\n", name)
		os.Exit(1)
	}
	os.Args = append(os.Args[:1:1], os.Args[2:]...)
}

// sampleByTesting times passes as an author would with testing.B. Each sample is a benchmark of its own, as
// with go test -bench -count, and finds by itself how many iterations last as long as a sample.
func (t *timed) sampleByTesting(options samplerOptions) (sampling, error) {
	benchtime := time.Duration(options.sampleNs).String()
	if options.iterations > 0 {
		benchtime = fmt.Sprintf("%dx", options.iterations)
	}
	testing.Init()
	if err := flag.Set("test.benchtime", benchtime); err != nil {
		return sampling{}, err
	}
	// Its passes are as warm as those of our sampler: buffers and heap have grown.
	var result sampling
	if _, err := t.warmUp(options, &result); err != nil {
		return result, err
	}
	for range options.samples {
		taken, err := t.benchmark()
		if err != nil {
			return result, err
		}
		result.samples = append(result.samples, taken)
	}
	return result, nil
}

// benchmark takes one sample.
func (t *timed) benchmark() (sample, error) {
	var failed error
	var used usage
	var left garbage
	result := testing.Benchmark(func(b *testing.B) {
		garbageBefore := readGarbage()
		before := readUsage()
		for b.Loop() {
			if failed = t.work.pass(); failed != nil {
				b.FailNow()
			}
		}
		used = readUsage().since(before)
		left = readGarbage().since(garbageBefore)
	})
	return sample{max(int64(result.N), 1), max(result.T.Nanoseconds(), 1), used, left, 0}, failed
}

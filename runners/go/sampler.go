package serbench

import (
	"math"
	"runtime"
)

// samplerOptions say how samples are taken.
type samplerOptions struct {
	sampleNs   int64 // a sample lasts at least this long
	iterations int64 // of every sample, in place of calibration; 0 for that
	samples    int
}

const (
	maxWarmups = 8 // batches after calibration, at most, until two agree

	// leastCollections are as many as a sample of passes that make garbage is to have, so that each pays for
	// its own, within the time of longestForGarbage samples of the length that was asked for.
	leastCollections  = 2
	longestForGarbage = 20

	// passesOfWatching are what watching a sample costs, in which values change and what was left is written
	// down. One in passesForOne may go into that; where a sample has fewer, drawn ones alone are
	// watched, one of leastWatched at least.
	passesOfWatching = 5
	passesForOne     = 10
	leastWatched     = 12
)

// sample is a batch of passes, timed as a whole.
type sample struct {
	iterations int64
	elapsedNs  int64
	used       usage
	garbage    garbage
	left       int // how often it was written down what passes left
}

type sampling struct {
	samples []sample
	warmups int
	settled bool // whether the last two warm-up batches agreed
	// grownBytes is by how much more is alive after some samples than before, where passes are watched: after
	// each half of them, or after all where they have no halves.
	grownBytes []int64
}

// grownBy is the share of the nth sample in the growth of its half. To know each sample's own would take a
// collection before each, and what a sample costs depends on how long ago the last one was.
func (s *sampling) grownBy(n int) int64 {
	if s.grownBytes == nil {
		return 0
	}
	together := len(s.samples) / len(s.grownBytes)
	return max(s.grownBytes[n/together], 0) / int64(together)
}

// timed is a pass, and what watches it.
type timed struct {
	work      *work
	operation string
	policy    string
	watching  *watching // nil where values do not change
}

func (t *timed) batch(iterations int64) (int64, error) {
	run := t.work.pass
	start := nowNs()
	for range iterations {
		if err := run(); err != nil {
			return 0, err
		}
	}
	return nowNs() - start, nil
}

// calibrate finds how many iterations last at least the wanted time: doubled until a batch is long enough to
// scale from.
func (t *timed) calibrate(wantedNs int64) (int64, error) {
	iterations := int64(1)
	for {
		elapsed, err := t.batch(iterations)
		if err != nil || elapsed >= wantedNs {
			return iterations, err
		}
		elapsed = max(elapsed, 1)
		// A tenth more than the rule of three gives, so that noise rarely leaves a sample too short; from a
		// batch that is itself too short for scaling, at most ten times as many.
		scaled := int64(1.1 * float64(iterations) * float64(wantedNs) / float64(elapsed))
		if elapsed >= wantedNs/4 {
			return max(scaled, iterations+1), nil
		}
		iterations = min(max(scaled, iterations*2), iterations*10)
	}
}

// warmUp calibrates and runs batches until two agree; it returns the iterations of a sample. Of a fixed
// number of iterations, a hundredth warms up.
func (t *timed) warmUp(options samplerOptions, result *sampling) (int64, error) {
	runtime.GC()      // garbage of the preparation is no garbage of a pass,
	place.moveSmall() // and what the first pass makes and keeps does not lie where something was freed
	if options.iterations > 0 {
		_, err := t.batch(max(options.iterations/100, 1))
		return options.iterations, err
	}
	iterations, err := t.calibrate(options.sampleNs)
	if err != nil {
		return 0, err
	}
	var last sample
	for result.warmups < maxWarmups && !result.settled {
		previous := last.elapsedNs
		// A pass that is itself longer than a few samples is warm after two.
		if result.warmups >= 2 && previous > 4*options.sampleNs {
			break
		}
		if last, err = t.timedBatch(iterations); err != nil {
			return 0, err
		}
		result.warmups++
		difference := max(last.elapsedNs-previous, previous-last.elapsedNs)
		result.settled = previous != 0 && difference*50 <= previous
	}
	// Warm code may be faster than it was at calibration.
	if last.elapsedNs < options.sampleNs {
		iterations = iterations*options.sampleNs/max(last.elapsedNs, 1) + 1
	}
	return enoughForGarbage(last, iterations, options.sampleNs), nil
}

// enoughForGarbage makes samples longer in which nothing would be collected of what their passes leave: the
// collector begins when the heap has grown by what it held, which can take several samples of some
// milliseconds, and no sample would be like the next. Where fewer than half of the longest samples would
// have a collection, their median has none, as that of short ones.
func enoughForGarbage(of sample, iterations, sampleNs int64) int64 {
	perPass := float64(of.garbage.allocatedBytes) / float64(of.iterations)
	if perPass < 1 {
		return iterations
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	// Passes from one collection to the next, over which the heap doubles with GOGC=100.
	betweenTwo := float64(memory.NextGC) / 2 / perPass
	longest := longestForGarbage * float64(sampleNs) * float64(of.iterations) / float64(max(of.elapsedNs, 1))
	if longest < betweenTwo/2 {
		return iterations
	}
	return max(iterations, int64(math.Ceil(min(leastCollections*betweenTwo, longest))))
}

func isWatched(iterations int64) bool {
	const enough = passesOfWatching * passesForOne
	if iterations >= enough {
		return true
	}
	return place.below(leastWatched) == 0 || int64(place.below(enough)) < iterations
}

func (s sample) plus(other sample) sample {
	return sample{
		s.iterations + other.iterations, s.elapsedNs + other.elapsedNs,
		s.used.plus(other.used), s.garbage.plus(other.garbage), s.left + other.left,
	}
}

func (t *timed) timedBatch(iterations int64) (sample, error) {
	garbageBefore := readGarbage()
	before := readUsage()
	elapsed, err := t.batch(iterations)
	used := readUsage().since(before)
	return sample{iterations, max(elapsed, 1), used, readGarbage().since(garbageBefore), 0}, err
}

// drawnPart is how many passes come before a change in the midst of a sample: any number, or all but the
// last, so that the first pass after a change is looked at too.
func drawnPart(iterations int64) int64 {
	if place.below(4) == 0 {
		return iterations - 1
	}
	return 1 + int64(place.number()%uint64(iterations-1))
}

// watchedSample is one before and in the midst of which values change. What passes leave is written down
// after its last pass and before each change: who is honest where a sample ends is seen there. What is
// decoded into is spoiled later than the bytes change, or whoever looks at the bytes alone would write it
// anew for their sake.
func (t *timed) watchedSample(iterations int64) (sample, error) {
	whole := sample{}
	if err := t.watching.renew(t.work.input, iterations > 1); err != nil {
		return whole, err
	}
	changes := []func() error{func() error { return t.watching.shift(t.work.input) }, t.spoil}
	for _, change := range changes {
		if left := iterations - whole.iterations; left > 1 {
			if err := t.watchedPart(drawnPart(left), &whole); err != nil {
				return whole, err
			}
		}
		if err := change(); err != nil {
			return whole, err
		}
	}
	return whole, t.watchedPart(iterations-whole.iterations, &whole)
}

// watchedPart adds a part of a sample, and writes down what its last pass left.
func (t *timed) watchedPart(iterations int64, whole *sample) error {
	taken, err := t.timedBatch(iterations)
	if err != nil {
		return err
	}
	*whole = whole.plus(taken)
	whole.left++
	return t.watching.writeDown(t.operation, t.policy, t.work)
}

// spoil changes what is decoded into and used again, where there is such a thing.
func (t *timed) spoil() error {
	if destination := t.work.destination(); destination != nil {
		return t.watching.spoil(destination)
	}
	return nil
}

// sampleBy takes a program's samples: takeSamples, unless a cross-check puts another sampler here
// (crosscheck.go).
var sampleBy = (*timed).takeSamples

// takeSamples calibrates, warms up until two batches agree within 2 %, and takes the samples, some of which
// are watched. What is alive is looked at in their middle too: memory that grows once, such as that of a
// buffer, does not grow in both halves.
func (t *timed) takeSamples(options samplerOptions) (sampling, error) {
	var result sampling
	iterations, err := t.warmUp(options, &result)
	if err != nil {
		return result, err
	}
	together := options.samples
	if together%2 == 0 {
		together /= 2
	}
	before := t.alive()
	for n := range options.samples {
		take := t.timedBatch
		if t.watching != nil && isWatched(iterations) {
			take = t.watchedSample
		}
		taken, err := take(iterations)
		if err != nil {
			return result, err
		}
		result.samples = append(result.samples, taken)
		if t.watching != nil && (n+1)%together == 0 {
			now := t.alive()
			result.grownBytes = append(result.grownBytes, now-before)
			before = now
		}
	}
	return result, nil
}

// alive is how many bytes are in use without those that are kept to watch passes; 0 where none is watched.
func (t *timed) alive() int64 {
	if t.watching == nil {
		return 0
	}
	t.watching.later = nil
	return alive()
}

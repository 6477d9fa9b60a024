package serbench

import (
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// threadWarmups are samples that are thrown away before the first, so that every thread is warm and the
	// heap has grown.
	threadWarmups = 2

	// looksAtClock are how often a thread looks at the clock in a sample, about.
	looksAtClock = 64
)

// team is the threads of one cell. Each has sides, objects and messages of its own (docs/protocol.md,
// --threads), and a goroutine that stays on its thread.
type team struct {
	members  []*member
	sampleNs int64
	arrived  atomic.Int64
	// oneAtATime is held for what is not timed: places are drawn from one source, for one.
	oneAtATime sync.Mutex
}

// member is one thread, and what it did in the last sample.
type member struct {
	timed     timed
	atOnce    int64 // passes between two looks at the clock
	passes    int64
	elapsedNs int64
	err       error
	steps     chan func()
}

// sampleTogether takes samples of as many threads at once. Each makes its passes ready by a call of ready.
func sampleTogether(threads int, options samplerOptions, ready func() (timed, error)) (sampling, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(threads, runtime.GOMAXPROCS(0))))
	team := &team{sampleNs: options.sampleNs}
	for range threads {
		team.add()
	}
	defer team.end()
	result := sampling{warmups: threadWarmups, settled: true}
	err := team.all(team.alone(func(m *member) (err error) {
		if m.timed, err = ready(); err == nil {
			m.atOnce, err = m.timed.calibrate(options.sampleNs / looksAtClock)
		}
		return err
	}))
	for n := 0; n < threadWarmups+options.samples && err == nil; n++ {
		var taken sample
		if taken, err = team.sample(); err != nil {
			break
		}
		if n >= threadWarmups {
			result.samples = append(result.samples, taken)
		} else {
			enough := enoughForGarbage(taken, taken.iterations, options.sampleNs)
			longer := float64(options.sampleNs) * float64(enough) / float64(taken.iterations)
			team.sampleNs = max(options.sampleNs, int64(longer))
		}
	}
	return result, err
}

func (t *team) add() {
	made := &member{steps: make(chan func())}
	t.members = append(t.members, made)
	go func() {
		runtime.LockOSThread()
		for step := range made.steps {
			step()
		}
	}()
}

// end ends all threads.
func (t *team) end() {
	for _, each := range t.members {
		close(each.steps)
	}
}

// all has every thread do a step at once, and returns an error of one of them.
func (t *team) all(step func(*member) error) error {
	var done sync.WaitGroup
	for _, each := range t.members {
		done.Add(1)
		each.steps <- func() {
			defer done.Done()
			each.err = guarded(func() error { return step(each) })
		}
	}
	done.Wait()
	for _, each := range t.members {
		if each.err != nil {
			return each.err
		}
	}
	return nil
}

// alone is a step that threads do one after the other.
func (t *team) alone(step func(*member) error) func(*member) error {
	return func(m *member) error {
		t.oneAtATime.Lock()
		defer t.oneAtATime.Unlock()
		return step(m)
	}
}

func (t *team) sample() (sample, error) {
	if err := t.all(t.alone((*member).renew)); err != nil {
		return sample{}, err
	}
	t.arrived.Store(0)
	garbageBefore, before := readGarbage(), readUsage()
	err := t.all(t.run)
	after := readUsage()
	whole := sample{used: after.since(before), garbage: readGarbage().since(garbageBefore)}
	if before.delayedNs >= 0 && after.delayedNs >= 0 {
		// Each thread has a core, so that none of them waits for another of ours.
		left := int64(len(t.members))*(after.clockNs-before.clockNs) - whole.used.ownNs
		whole.used.waitedNs = max(0, min(after.delayedNs-before.delayedNs, left))
	}
	if err == nil {
		err = t.all(t.alone((*member).writeDown))
	}
	for _, each := range t.members {
		whole.iterations += each.passes
		whole.elapsedNs += each.elapsedNs
		if each.timed.watching != nil {
			whole.left++
		}
	}
	whole.elapsedNs = max(whole.elapsedNs/int64(len(t.members)), 1)
	return whole, err
}

// run does passes until the time is over, at least as many as are done between two looks at the clock. A
// thread that gets a core late measures as long as the others; its time is its own.
func (t *team) run(m *member) error {
	for t.arrived.Add(1); t.arrived.Load() < int64(len(t.members)); {
		runtime.Gosched()
	}
	passes, start := int64(0), nowNs()
	for elapsed := int64(0); elapsed < t.sampleNs; elapsed = nowNs() - start {
		if _, err := m.timed.batch(m.atOnce); err != nil {
			return err
		}
		passes += m.atOnce
	}
	m.passes, m.elapsedNs = passes, nowNs()-start
	return nil
}

func (m *member) renew() error {
	if m.timed.watching == nil {
		return nil
	}
	return m.timed.watching.renew(m.timed.work.input, false)
}

func (m *member) writeDown() error {
	if m.timed.watching == nil {
		return nil
	}
	return m.timed.watching.writeDown(m.timed.operation, m.timed.policy, m.timed.work)
}

package serbench

import (
	"fmt"
	"math"
)

const (
	// unseenTrials are how often passes over new messages are compared with later ones, of which the shortest
	// count, and mostUnseen over how many messages at most.
	unseenTrials = 3
	mostUnseen   = 64
	knownPasses  = 4
	// mostTimes is how many times as long as a later pass the first may take, and leastExcessNs how much longer:
	// the caches and the processor's predictions know nothing of its data.
	mostTimes     = 6
	leastExcessNs = 20_000
)

// suspicion is that a cell returns remembered results, as far as times tell. Times of one process are no
// proof: serbench accuses nobody before several suspect the same cell (src/serbench/measure/agreement.py).
type suspicion struct {
	cell, operation string
	times           int64
}

func (s *suspicion) Error() string {
	return fmt.Sprintf("%s takes %d times as long for new messages as for known ones: the timed code returns "+
		"remembered results, or skips work", s.operation, s.times)
}

// meet compares the first pass over bytes that another program has encoded, and that this one has not met,
// with later passes over them. Who remembers sums of bytes by what is in them is found by nothing else.
func (w *watching) meet(operation, policy string, memory memory) error {
	count := min(len(w.spared)/(2*unseenTrials), mostUnseen)
	if operation != "read" || count == 0 {
		return nil
	}
	other := newOperations(w.inputs.of)
	other.inputs.roots = w.inputs.roots[:1]
	other.inputs.encoded = [][]byte{nil}
	made, err := other.prepare(operation, memory)
	if err != nil {
		return err
	}
	messages := make([][]byte, count)
	pass := func() error {
		for _, message := range messages {
			other.inputs.encoded[0] = message
			if err := made.pass(); err != nil {
				return err
			}
		}
		return nil
	}
	for n := range messages {
		messages[n] = place.placed(w.inputs.encoded[0], count)
	}
	if err := pass(); err != nil { // buffers grow
		return err
	}
	first, later := int64(math.MaxInt64), int64(math.MaxInt64)
	for range unseenTrials {
		for n := range messages {
			body := w.inputs.given[len(w.inputs.roots)+w.spared[n]]
			if len(messages[n]) != len(body) {
				messages[n] = place.placed(body, count)
			}
			copy(messages[n], body)
		}
		w.spared = w.spared[count:]
		for n := range 1 + knownPasses {
			start := nowNs()
			if err := pass(); err != nil {
				return err
			}
			elapsed := max(nowNs()-start, 1)
			if n == 0 {
				first = min(first, elapsed)
			} else {
				later = min(later, elapsed)
			}
		}
	}
	if first <= mostTimes*later || first-later < leastExcessNs {
		return nil
	}
	return &suspicion{operation + ":" + policy, operation, first / later}
}

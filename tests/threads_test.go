package serbench

import (
	"errors"
	"testing"
)

// counting is a cell whose passes count themselves; each thread has a count of its own.
func counting(made *[]*int64) func() (timed, error) {
	return func() (timed, error) {
		own := new(int64)
		*made = append(*made, own)
		return timed{work: &work{pass: func() error { *own++; return nil }}}, nil
	}
}

func TestThreadsHavePassesOfTheirOwn(t *testing.T) {
	const sampleNs = 1_000_000
	var made []*int64
	taken, err := sampleTogether(3, samplerOptions{sampleNs: sampleNs, samples: 2}, counting(&made))
	if err != nil || len(made) != 3 || len(taken.samples) != 2 || taken.warmups != threadWarmups {
		t.Fatal(err, len(made), taken)
	}
	passes := int64(0)
	for _, own := range made {
		passes += *own
		if *own == 0 {
			t.Error("a thread did no pass")
		}
	}
	for _, each := range taken.samples {
		if each.elapsedNs < sampleNs || each.iterations < 3 || each.iterations >= passes {
			t.Error(each)
		}
	}
}

func TestAThreadTellsWhatItRefused(t *testing.T) {
	planted := errors.New("planted")
	for _, begins := range []int{0, 100} {
		calls := 0
		ready := func() (timed, error) {
			return timed{work: &work{pass: func() error {
				if calls++; calls > begins {
					return planted
				}
				return nil
			}}}, nil
		}
		_, err := sampleTogether(1, samplerOptions{sampleNs: 1_000_000, samples: 2}, ready)
		if !errors.Is(err, planted) {
			t.Error("found", err)
		}
	}
}

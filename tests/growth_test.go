package serbench

import (
	"slices"
	"testing"
)

func TestWhatGrowsOnceGrowsInNoSampleOfTheOtherHalf(t *testing.T) {
	for _, each := range []struct{ grown, of []int64 }{
		{nil, []int64{0, 0, 0, 0}},
		{[]int64{1 << 20}, []int64{1 << 18, 1 << 18, 1 << 18, 1 << 18}},
		{[]int64{1 << 20, 4096}, []int64{1 << 19, 1 << 19, 2048, 2048}},
		{[]int64{1 << 20, -4096}, []int64{1 << 19, 1 << 19, 0, 0}},
	} {
		taken := sampling{samples: make([]sample, 4), grownBytes: each.grown}
		var found []int64
		for n := range taken.samples {
			found = append(found, taken.grownBy(n))
		}
		if !slices.Equal(found, each.of) {
			t.Error("found", found, "expected", each.of)
		}
	}
}

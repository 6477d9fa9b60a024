package serbench

import (
	"strconv"
	"testing"
	"unsafe"
)

// mostPlaced is, for each size, as many as fit into a page, and some until two lie beside each other.
const mostPlaced = 2000

const seeds = 16

var next []*byte

func addressOf(words []*byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(words))) }

func TestTheNextObjectLiesBehindThoseThatMoveItWhateverItsSize(t *testing.T) {
	for _, words := range []int{2, 8, 64, 71, 79, 111, 127} {
		behind, lines := 0, map[uintptr]bool{}
		for seed := 1; seed <= seeds; seed++ {
			place = draws{}
			if err := place.seed(strconv.Itoa(seed)); err != nil {
				t.Fatal(err)
			}
			place.moveSmall()
			next = make([]*byte, words)
			if count := len(place.slots); count > mostPlaced {
				t.Fatal(count, "objects with pointers moved it")
			}
			last := uintptr(0)
			for _, each := range place.slots {
				if len(each) == words {
					last = addressOf(each)
				}
			}
			size := uintptr(8 * words)
			if size > mostWithout {
				size += header
			}
			if addressOf(next) == last+size {
				behind++
			}
			lines[addressOf(next)%page/line] = true
		}
		if behind < seeds*3/4 || len(lines) < 3 { // else it is the first of the next eight kilobytes
			t.Error(words, "words lie behind", behind, "times, in lines", lines)
		}
	}
}

package serbench

import (
	"strconv"
	"testing"
	"unsafe"
)

// mostPlaced is, for each size, as many as fit into a page, and some until two lie beside each other.
const mostPlaced = 2000

var next []*byte

// begins is where the next object of as many words begins in its page.
func begins(t *testing.T, seed, words int) uintptr {
	place = draws{}
	if err := place.seed(strconv.Itoa(seed)); err != nil {
		t.Fatal(err)
	}
	place.moveSmall()
	if count := len(place.slots); count > mostPlaced {
		t.Fatal(count, "objects with pointers were placed")
	}
	next = make([]*byte, words)
	return uintptr(unsafe.Pointer(unsafe.SliceData(next))) % page
}

func TestObjectsWithPointersLieElsewhereWithAnotherSeedWhateverTheirSize(t *testing.T) {
	for _, words := range []int{2, 8, 64, 71, 79, 111, 127} {
		found := map[uintptr]bool{}
		for seed := 1; seed <= 16; seed++ {
			found[begins(t, seed, words)] = true
		}
		if len(found) < 3 {
			t.Error(words, "words lie at", found)
		}
	}
}

package serbench

import (
	"fmt"
	"strconv"
	"unsafe"
)

const (
	page      = 4096
	line      = 64
	alignment = 16
	allGaps   = 256 * 1024
	mostTries = 1024 // to find a place in a line, where the heap has holes

	// header is what Go puts before an object with pointers of a size above mostWithout
	// (internal/runtime/gc/malloc.go of Go 1.26).
	header      = 8
	mostWithout = 512
)

// smallSizes are those of Go's small objects. Objects of one size lie beside each other, those with pointers
// apart from those without (internal/runtime/gc/sizeclasses.go of Go 1.26), so that a gap moves nothing but
// what is of its own size.
var smallSizes = []int{
	16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448,
	480, 512, 576, 640, 704, 768, 896, 1024,
}

// draws is a generator, SplitMix64: G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom
// number generators" (OOPSLA 2014).
type draws struct {
	state uint64
	isSet bool // else every draw is 0, and there are no gaps
	gaps  [][]byte

	// fillers and slots move small objects, those without pointers and those with them.
	fillers [][]byte
	slots   [][]*byte
}

// place is what the data of this process and the edits that are in force are drawn from.
var place draws

func (d *draws) seed(text string) error {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || len(text) > 19 {
		return fmt.Errorf("found --place %s, expected a whole number below 10^19", text)
	}
	d.state, d.isSet = seed, true
	return nil
}

func (d *draws) number() uint64 {
	if !d.isSet {
		return 0
	}
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func (d *draws) below(limit int) int { return int(d.number() % uint64(limit)) }

// gap is a multiple of 16 below a page, smaller where it is one of many.
func (d *draws) gap(things int) int {
	if !d.isSet || things == 0 {
		return 0
	}
	most := min(max(allGaps/things/alignment*alignment, 2*alignment), page)
	return alignment * d.below(most/alignment)
}

// leaveGap takes memory that nothing uses, so that what is allocated next lies elsewhere.
func (d *draws) leaveGap(things int) {
	if size := d.gap(things); size > 0 {
		d.gaps = append(d.gaps, make([]byte, size))
	}
}

// moveSmall takes memory of each small size, so that the next object of the size lies elsewhere in its page
// and its cache line. A writer of 48 bytes, of which a line ended within its slice, took a sixth longer, and
// whether it did was the same in every process of a program.
func (d *draws) moveSmall() {
	if !d.isSet {
		return
	}
	for _, size := range smallSizes {
		moveNext(d, &d.fillers, size, 0)
		if size > mostWithout {
			moveNext(d, &d.slots, size, header)
		} else {
			moveNext(d, &d.slots, size, 0)
		}
	}
}

// release lets go of what moved small objects, which has done its work once they are there. Were it kept,
// more would be alive in each cell than in the one before, and the collector would begin later.
func (d *draws) release() { d.fillers, d.slots = nil, nil }

// moveNext allocates objects of a size, with their header, until two lie beside each other, so that the next
// very likely lies behind them, and begins at a drawn place of its cache line.
func moveNext[Item any](d *draws, kept *[][]Item, size, header int) {
	allocate := func() uintptr {
		block := make([]Item, (size-header)/int(unsafe.Sizeof(*new(Item))))
		*kept = append(*kept, block)
		return uintptr(unsafe.Pointer(unsafe.SliceData(block))) - uintptr(header)
	}
	for range d.below(page / size) {
		allocate()
	}
	wanted := uintptr(size*d.below(line)) % line
	last := uintptr(0)
	for range mostTries {
		at := allocate()
		if at == last+uintptr(size) && (at+uintptr(size))%line == wanted {
			return
		}
		last = at
	}
}

// placed is a copy of bytes at a drawn place in a block of their own.
func (d *draws) placed(bytes []byte, things int) []byte {
	gap := d.gap(things)
	block := make([]byte, gap+len(bytes))
	copy(block[gap:], bytes)
	return block[gap:len(block):len(block)]
}

package serbench

import (
	"fmt"
	"strconv"
)

const (
	page      = 4096
	alignment = 16
	allGaps   = 256 * 1024
)

// draws is a generator, SplitMix64: G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom
// number generators" (OOPSLA 2014).
type draws struct {
	state uint64
	isSet bool // else every draw is 0, and there are no gaps
	gaps  [][]byte
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

// placed is a copy of bytes at a drawn place in a block of their own.
func (d *draws) placed(bytes []byte, things int) []byte {
	gap := d.gap(things)
	block := make([]byte, gap+len(bytes))
	copy(block[gap:], bytes)
	return block[gap:len(block):len(block)]
}

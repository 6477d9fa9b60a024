package adapter

import (
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"serbench"
)

// firstSize is that of the library's tutorial, in bytes.
const firstSize = 1024

// message is a builder, and the offsets of what waits for its vector.
type message struct {
	*flatbuffers.Builder
	offsets []flatbuffers.UOffsetT
}

func (m *message) start() {
	if m.Builder == nil {
		m.Builder = flatbuffers.NewBuilder(firstSize)
	}
	m.Reset()
	m.offsets = m.offsets[:0]
}

// keep lets what lies at an offset wait.
func (m *message) keep(offset flatbuffers.UOffsetT) { m.offsets = append(m.offsets, offset) }

// vector is that of what waits, from a place on.
func (m *message) vector(from int) flatbuffers.UOffsetT {
	made := m.CreateVectorOfTables(m.offsets[from:])
	m.offsets = m.offsets[:from]
	return made
}

// isNegativeZero tells of -0.0, which equals the default 0.0, so that the library would leave it out.
func isNegativeZero[Float float32 | float64](number Float) bool {
	return number == 0 && math.Signbit(float64(number))
}

// reading is what extracting a message has found so far.
type reading struct {
	serbench.Faults
	bytes int // of the message
	depth int
}

// room is a count of items, where the message has bytes for so many of that size.
func (r *reading) room(count, size int) int {
	if !r.Check(count <= r.bytes/size) {
		return 0
	}
	return count
}

// enter begins a step back, where that is not one too many; leave ends it.
func (r *reading) enter() bool {
	if r.depth == serbench.MaxDepth {
		r.Add("too many steps of recursion")
		return false
	}
	r.depth++
	return true
}

func (r *reading) leave() { r.depth-- }

// absent adds that something is not there which every message has.
func (r *reading) absent() { r.Add("a required field is absent") }

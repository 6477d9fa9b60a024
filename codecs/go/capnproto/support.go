package adapter

import (
	"encoding/binary"

	"capnproto.org/go/capnp/v3"

	"serbench"
)

// message is built in one segment, whose memory the library keeps in a pool.
type message struct{ *capnp.Message }

func (m *message) start() (*capnp.Segment, error) {
	arena := capnp.SingleSegment(nil)
	if m.Message != nil {
		return m.Reset(arena)
	}
	made, segment, err := capnp.NewMessage(arena)
	m.Message = made
	return segment, err
}

// view is a message that is read, with the memory that it was unpacked into.
type view struct {
	*capnp.Message
	of       native
	limit    uint64
	alone    alone
	unpacked []byte
}

// alone is a message of one segment and its arena, both of which are used again for the next such message, as
// the library's own benchmark does (BenchmarkUnmarshal_Reuse).
type alone struct {
	capnp.Message
	arena capnp.ReadOnlySingleSegment
}

// oneTable is the length in bytes of the table of sizes of one segment.
const oneTable = 8

// isAlone tells whether bytes are one segment behind its table, and nothing else.
func isAlone(bytes []byte) bool {
	if len(bytes) < oneTable || binary.LittleEndian.Uint32(bytes) != 0 {
		return false
	}
	return 8*uint64(binary.LittleEndian.Uint32(bytes[4:])) == uint64(len(bytes)-oneTable)
}

// lies is the message that these bytes are, read where it lies.
func (v *view) lies(bytes []byte) (*capnp.Message, error) {
	if !isAlone(bytes) {
		return capnp.Unmarshal(bytes)
	}
	v.alone.arena.ReplaceData(bytes[oneTable:])
	_, err := v.alone.Reset(&v.alone.arena)
	return &v.alone.Message, err
}

// What may be read of a message at one time, so that one whose pointers lead to the same things again and
// again cannot grow beyond all bounds: the library's default, or for long messages a small multiple of their
// size.
const (
	usualLimit = 64 << 20
	timesOver  = 4
)

const errTrailing = serbench.Fault("bytes are left over")

func (v *view) open(bytes []byte) error {
	if v.Message != nil {
		v.Release()
	}
	made, err := v.lies(bytes)
	v.Message = made
	if err != nil {
		return err
	}
	size, err := made.TotalSize()
	if err != nil {
		return err
	}
	if size != uint64(len(bytes)) {
		return errTrailing
	}
	v.limit = max(usualLimit, timesOver*size)
	v.TraverseLimit, v.DepthLimit = v.limit, depthLimit
	v.of, err = rootOf(made)
	return err
}

// root may be read as often as one likes, each time up to the limit.
func (v *view) root() native {
	v.ResetReadLimit(v.limit)
	return v.of
}

// faults is the first thing that went wrong.
type faults struct{ serbench.Faults }

func (f *faults) keep(err error) {
	if f.Err == nil {
		f.Err = err
	}
}

// present is bytes that are there even where they are none: those that are nil would be absent.
func present(bytes []byte) []byte {
	if bytes == nil {
		return []byte{}
	}
	return bytes
}

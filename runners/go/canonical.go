package serbench

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
	"unsafe"
)

// MaxDepth is how many steps back a value has inside each other at most: beyond, every reader has an error.
const MaxDepth = 1000

const maxEmptyItems = 1 << 16

// Domain is what the harness needs of the domain types of a workload: their canonical encoding
// (docs/canonical-encoding.md), the sum over all fields, and the walk where they are a graph.
type Domain[Root any] struct {
	// Read reads over what there was, in the memory that it has.
	Read  func(from *Reader, root *Root)
	Write func(to *Writer, root *Root)
	// Sum adds up every field, so that a compiler has to read them all: numbers as their value (floats: their
	// bits), strings and bytes as their length and the sum of their bytes, lists and maps as their count and
	// their items, optionals as their presence and their value, unions as the index of their alternative and
	// its value. It wraps.
	Sum func(root *Root) uint64
	// Walk is nil where the types are no graph.
	Walk func(root *Root) uint64
}

// Reader reads canonical bytes from front to back. After an error, which it keeps, it reads zeros.
type Reader struct {
	rest  []byte
	depth int
	err   error
	// isApart says that strings are made anew: those of an object that a codec has filled may be others' too.
	isApart bool
}

// Fail keeps the first error.
func (r *Reader) Fail(format string, words ...any) {
	if r.err == nil {
		r.err = Fault(fmt.Sprintf(format, words...))
	}
	r.rest = nil
}

func (r *Reader) finish() error {
	if r.err == nil && len(r.rest) > 0 {
		return Fault(fmt.Sprintf("%d bytes are left over", len(r.rest)))
	}
	return r.err
}

var zeros [8]byte

// take takes so many bytes off the front; nil after an error.
func (r *Reader) take(size int) []byte {
	if size > len(r.rest) {
		r.Fail("truncated: %d bytes are needed, %d are left", size, len(r.rest))
		return nil
	}
	taken := r.rest[:size]
	r.rest = r.rest[size:]
	return taken
}

func (r *Reader) number(size int) []byte {
	if taken := r.take(size); taken != nil {
		return taken
	}
	return zeros[:]
}

func (r *Reader) Int8() int8       { return int8(r.number(1)[0]) }
func (r *Reader) Int16() int16     { return int16(r.Uint16()) }
func (r *Reader) Int32() int32     { return int32(r.Uint32()) }
func (r *Reader) Int64() int64     { return int64(r.Uint64()) }
func (r *Reader) Uint8() uint8     { return r.number(1)[0] }
func (r *Reader) Uint16() uint16   { return binary.LittleEndian.Uint16(r.number(2)) }
func (r *Reader) Uint32() uint32   { return binary.LittleEndian.Uint32(r.number(4)) }
func (r *Reader) Uint64() uint64   { return binary.LittleEndian.Uint64(r.number(8)) }
func (r *Reader) Float32() float32 { return math.Float32frombits(r.Uint32()) }
func (r *Reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }

// Bool reads a bool, or whether something is present.
func (r *Reader) Bool() bool {
	octet := r.Uint8()
	if octet > 1 {
		r.Fail("a bool or presence byte is %d", octet)
	}
	return octet == 1
}

// String reads text over a string of ours, in its memory where it is as long. Of one byte, all strings share
// those of the runtime.
func (r *Reader) String(value *string) {
	text := r.take(int(r.Uint32()))
	if !utf8.Valid(text) {
		r.Fail("a string is not valid UTF-8")
		return
	}
	if len(text) == len(*value) && len(text) > 1 && !r.isApart {
		copy(unsafe.Slice(unsafe.StringData(*value), len(text)), text)
		return
	}
	*value = string(text)
}

// Bytes reads bytes of any length.
func (r *Reader) Bytes(value *[]byte) {
	*value = append(Resized(*value, 0), r.take(int(r.Uint32()))...)
}

// Fixed reads as many bytes as there are.
func (r *Reader) Fixed(value []byte) {
	copy(value, r.take(len(value)))
}

// Count reads that of a list or map whose items take at least one byte each, so that a wrong count cannot ask
// for more memory than the message has bytes.
func (r *Reader) Count() int {
	return r.countUpTo(len(r.rest) - 4)
}

// CountOfEmpty reads that of a list whose items take no bytes.
func (r *Reader) CountOfEmpty() int {
	return r.countUpTo(maxEmptyItems)
}

func (r *Reader) countUpTo(most int) int {
	count := int(r.Uint32())
	if r.err == nil && count > most {
		r.Fail("a count of %d, expected at most %d", count, most)
	}
	if r.err != nil {
		return 0
	}
	return count
}

// Enter begins a step back, where that is not one too many; Leave ends it.
func (r *Reader) Enter() bool {
	if r.depth == MaxDepth {
		r.Fail("more than %d steps of recursion", MaxDepth)
		return false
	}
	r.depth++
	return true
}

func (r *Reader) Leave() { r.depth-- }

// Resized is a list of so many items in the memory that there is, or else in more. It is never nil: some
// libraries write nothing in place of a list that is.
func Resized[T any](list []T, count int) []T {
	if list == nil {
		return make([]T, count)
	}
	return slices.Grow(list[:0], count)[:count]
}

// Emptied is a map without entries, the same where there is one.
func Emptied[K comparable, V any](values map[K]V) map[K]V {
	if values == nil {
		return map[K]V{}
	}
	clear(values)
	return values
}

// Writer appends canonical bytes.
type Writer struct {
	bytes []byte
	depth int
	err   error
}

func (w *Writer) Int8(value int8)       { w.bytes = append(w.bytes, byte(value)) }
func (w *Writer) Int16(value int16)     { w.Uint16(uint16(value)) }
func (w *Writer) Int32(value int32)     { w.Uint32(uint32(value)) }
func (w *Writer) Int64(value int64)     { w.Uint64(uint64(value)) }
func (w *Writer) Uint8(value uint8)     { w.bytes = append(w.bytes, value) }
func (w *Writer) Uint16(value uint16)   { w.bytes = binary.LittleEndian.AppendUint16(w.bytes, value) }
func (w *Writer) Uint32(value uint32)   { w.bytes = binary.LittleEndian.AppendUint32(w.bytes, value) }
func (w *Writer) Uint64(value uint64)   { w.bytes = binary.LittleEndian.AppendUint64(w.bytes, value) }
func (w *Writer) Float32(value float32) { w.Uint32(math.Float32bits(value)) }
func (w *Writer) Float64(value float64) { w.Uint64(math.Float64bits(value)) }
func (w *Writer) Bool(value bool)       { w.bytes = append(w.bytes, byte(SumBool(value))) }
func (w *Writer) Count(count int)       { w.Uint32(uint32(count)) }
func (w *Writer) Fixed(value []byte)    { w.bytes = append(w.bytes, value...) }

func (w *Writer) Bytes(value []byte) {
	w.Count(len(value))
	w.Fixed(value)
}

func (w *Writer) String(value string) {
	w.Count(len(value))
	w.bytes = append(w.bytes, value...)
}

// Enter begins a step back, where that is not one too many; Leave ends it.
func (w *Writer) Enter() bool {
	if w.depth == MaxDepth {
		w.err = Fault(fmt.Sprintf("more than %d steps of recursion", MaxDepth))
		return false
	}
	w.depth++
	return true
}

func (w *Writer) Leave() { w.depth-- }

// Fail keeps the first error.
func (w *Writer) Fail(reason string) {
	if w.err == nil {
		w.err = Fault(reason)
	}
}

// SortedKeys are the keys of a map in their order.
func SortedKeys[K cmp.Ordered, V any](values map[K]V) []K {
	keys := make([]K, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// SortedBools are the keys of a map in their order.
func SortedBools[V any](values map[bool]V) []bool {
	keys := make([]bool, 0, len(values))
	for _, key := range []bool{false, true} {
		if _, isThere := values[key]; isThere {
			keys = append(keys, key)
		}
	}
	return keys
}

// SumBool is 0 or 1.
func SumBool(value bool) uint64 {
	if value {
		return 1
	}
	return 0
}

// SumBytes is the length and the sum of all bytes.
func SumBytes(value []byte) uint64 {
	sum := uint64(len(value))
	for _, octet := range value {
		sum += uint64(octet)
	}
	return sum
}

// SumString is the length and the sum of all bytes.
func SumString(value string) uint64 {
	return SumBytes(unsafe.Slice(unsafe.StringData(value), len(value)))
}

// DepthFirst visits every node that node 0 leads to; edges calls its second argument with the target of each
// edge of a node. It returns the sum of the visited nodes' numbers, each plus 1.
func DepthFirst(nodes int, edges func(node int, reach func(target int))) uint64 {
	visited := make([]bool, nodes)
	left := make([]int, 0, nodes)
	reach := func(target int) {
		if target >= 0 && target < nodes && !visited[target] {
			visited[target] = true
			left = append(left, target)
		}
	}
	reach(0)
	sum := uint64(0)
	for len(left) > 0 {
		node := left[len(left)-1]
		left = left[:len(left)-1]
		sum += uint64(node) + 1
		edges(node, reach)
	}
	return sum
}

// Append appends the canonical bytes of a message.
func (d Domain[Root]) Append(out []byte, root *Root) ([]byte, error) {
	to := Writer{bytes: out}
	d.Write(&to, root)
	return to.bytes, to.err
}

// Parse makes root what canonical bytes say. Strings of it may be others' too, and are made anew.
func (d Domain[Root]) Parse(bytes []byte, root *Root) error {
	from := Reader{rest: bytes, isApart: true}
	d.Read(&from, root)
	return from.finish()
}

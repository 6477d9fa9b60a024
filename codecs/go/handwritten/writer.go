package adapter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"serbench"
)

// writer appends to a buffer that grows.
type writer struct {
	bytes []byte
	depth int
	err   error
}

func (w *writer) Int8(value int8)       { w.bytes = append(w.bytes, byte(value)) }
func (w *writer) Int16(value int16)     { w.Uint16(uint16(value)) }
func (w *writer) Int32(value int32)     { w.Uint32(uint32(value)) }
func (w *writer) Int64(value int64)     { w.Uint64(uint64(value)) }
func (w *writer) Uint8(value uint8)     { w.bytes = append(w.bytes, value) }
func (w *writer) Uint16(value uint16)   { w.bytes = binary.LittleEndian.AppendUint16(w.bytes, value) }
func (w *writer) Uint32(value uint32)   { w.bytes = binary.LittleEndian.AppendUint32(w.bytes, value) }
func (w *writer) Uint64(value uint64)   { w.bytes = binary.LittleEndian.AppendUint64(w.bytes, value) }
func (w *writer) Float32(value float32) { w.Uint32(math.Float32bits(value)) }
func (w *writer) Float64(value float64) { w.Uint64(math.Float64bits(value)) }
func (w *writer) Count(count int)       { w.Uint64(uint64(count)) }
func (w *writer) Fixed(value []byte)    { w.bytes = append(w.bytes, value...) }

func (w *writer) Bool(value bool) {
	octet := byte(0)
	if value {
		octet = 1
	}
	w.bytes = append(w.bytes, octet)
}

func (w *writer) Bytes(value []byte) {
	w.Count(len(value))
	w.Fixed(value)
}

func (w *writer) String(value string) {
	w.Count(len(value))
	w.bytes = append(w.bytes, value...)
}

// block writes numbers, or records of numbers without padding, as they lie in memory.
func block[T any](w *writer, items []T) {
	w.bytes = append(w.bytes, octets(items)...)
}

// octets are the memory of items.
func octets[T any](items []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(items))), len(items)*int(unsafe.Sizeof(*new(T))))
}

// Enter begins a step back, where that is not one too many; Leave ends it.
func (w *writer) Enter() bool {
	if w.depth == serbench.MaxDepth {
		w.err = fmt.Errorf("more than %d steps of recursion", serbench.MaxDepth)
		return false
	}
	w.depth++
	return true
}

func (w *writer) Leave() { w.depth-- }

// Fail keeps the first error.
func (w *writer) Fail(reason string) {
	if w.err == nil {
		w.err = errors.New(reason)
	}
}

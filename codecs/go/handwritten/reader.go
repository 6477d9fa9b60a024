package adapter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"serbench"
)

const maxEmptyItems = 1 << 16

var errEnd = errors.New("the bytes end early")

// reader reads from front to back, and refuses what does not fit the bytes that are left. After an error,
// which it keeps, it reads zeros.
type reader struct {
	rest  []byte
	depth int
	err   error
}

// Fail keeps the first error.
func (r *reader) Fail(format string, words ...any) { r.fail(fmt.Errorf(format, words...)) }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

// take takes so many bytes off the front; none after an error.
func (r *reader) take(size uint64) []byte {
	if size > uint64(len(r.rest)) {
		r.fail(errEnd)
		return nil
	}
	taken := r.rest[:size]
	r.rest = r.rest[size:]
	return taken
}

func (r *reader) Int8() int8       { return int8(r.Uint8()) }
func (r *reader) Int16() int16     { return int16(r.Uint16()) }
func (r *reader) Int32() int32     { return int32(r.Uint32()) }
func (r *reader) Int64() int64     { return int64(r.Uint64()) }
func (r *reader) Float32() float32 { return math.Float32frombits(r.Uint32()) }
func (r *reader) Float64() float64 { return math.Float64frombits(r.Uint64()) }
func (r *reader) Bool() bool       { return r.Uint8() != 0 }

func (r *reader) Uint8() uint8 {
	if len(r.rest) < 1 {
		return uint8(r.end())
	}
	number := r.rest[0]
	r.rest = r.rest[1:]
	return number
}

func (r *reader) Uint16() uint16 {
	if len(r.rest) < 2 {
		return uint16(r.end())
	}
	number := binary.LittleEndian.Uint16(r.rest)
	r.rest = r.rest[2:]
	return number
}

func (r *reader) Uint32() uint32 {
	if len(r.rest) < 4 {
		return uint32(r.end())
	}
	number := binary.LittleEndian.Uint32(r.rest)
	r.rest = r.rest[4:]
	return number
}

func (r *reader) Uint64() uint64 {
	if len(r.rest) < 8 {
		return uint64(r.end())
	}
	number := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return number
}

//go:noinline
func (r *reader) end() int {
	r.fail(errEnd)
	return 0
}

func (r *reader) String(value *string) {
	*value = string(r.take(r.Uint64()))
}

func (r *reader) Bytes(value *[]byte) {
	*value = append((*value)[:0], r.take(r.Uint64())...)
}

// Fixed reads as many bytes as there are.
func (r *reader) Fixed(value []byte) {
	copy(value, r.take(uint64(len(value))))
}

// unblocked reads numbers, or records of numbers without padding, as they lie in memory.
func unblocked[T any](r *reader, items []T) []T {
	size := uint64(unsafe.Sizeof(*new(T)))
	count := r.Uint64()
	if count > uint64(len(r.rest))/size {
		r.fail(errEnd)
		return items[:0]
	}
	items = resized(items, int(count))
	copy(octets(items), r.take(count*size))
	return items
}

// Count is that of a list or map whose items take at least one byte each.
func (r *reader) Count() int { return r.countUpTo(len(r.rest)) }

// CountOfEmpty is that of a list whose items take no bytes.
func (r *reader) CountOfEmpty() int { return r.countUpTo(maxEmptyItems) }

func (r *reader) countUpTo(most int) int {
	count := r.Uint64()
	if count > uint64(most) {
		r.fail(errors.New("a count exceeds the bytes left"))
		return 0
	}
	return int(count)
}

// Enter begins a step back, where that is not one too many; Leave ends it.
func (r *reader) Enter() bool {
	if r.depth == serbench.MaxDepth {
		r.Fail("more than %d steps of recursion", serbench.MaxDepth)
		return false
	}
	r.depth++
	return true
}

func (r *reader) Leave() { r.depth-- }

// Resized is a list of so many items, in the memory that there is where it is enough.
func resized[T any](list []T, count int) []T {
	if cap(list) < count {
		return make([]T, count)
	}
	return list[:count]
}

// emptied is a map without entries, the same where there is one.
func emptied[K comparable, V any](values map[K]V) map[K]V {
	if values == nil {
		return map[K]V{}
	}
	clear(values)
	return values
}

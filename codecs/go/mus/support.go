package adapter

import (
	com "github.com/mus-format/common-go"
	"github.com/mus-format/mus-go"
	bslops "github.com/mus-format/mus-go/options/byte_slice"
	strops "github.com/mus-format/mus-go/options/string"
	"github.com/mus-format/mus-go/ord"
	"github.com/mus-format/mus-go/unsafe"
	"github.com/mus-format/mus-go/varint"

	"serbench"
)

const maxEmptyItems = 1 << 16

const (
	errAlternative = serbench.Fault("a union has no such alternative")
	errEnum        = serbench.Fault("an enum has no such value")
	errLength      = serbench.Fault("a length is not within its bounds")
	errTrailing    = serbench.Fault("bytes are left over")
)

var (
	copiedString = ord.NewStringSer(strops.WithLenSer(length{}))
	copiedBytes  = ord.NewByteSliceSer(bslops.WithLenSer(length{}))
	sharedString = unsafe.NewStringSer(strops.WithLenSer(length{}))
	sharedBytes  = unsafe.NewByteSliceSer(bslops.WithLenSer(length{}))
)

// length is that of a string, list or map whose items take at least one byte each. The library makes room for
// all of them before it reads the first, and validators of lengths do not see how many bytes are left.
type length struct{}

func (length) Marshal(v int, bs []byte) int { return varint.PositiveInt.Marshal(v, bs) }

func (length) Unmarshal(bs []byte) (v int, n int, err error) {
	v, n, err = varint.PositiveInt.Unmarshal(bs)
	if err == nil && v > len(bs)-n {
		err = errLength
	}
	return
}

func (length) Size(v int) int { return varint.PositiveInt.Size(v) }

func (length) Skip(bs []byte) (int, error) { return varint.PositiveInt.Skip(bs) }

// exactly is the length of an array, of which the library refuses more items, but of fewer reads what lies
// behind them in memory.
type exactly int

func (exactly) Marshal(v int, bs []byte) int { return varint.PositiveInt.Marshal(v, bs) }

func (e exactly) Unmarshal(bs []byte) (v int, n int, err error) {
	v, n, err = varint.PositiveInt.Unmarshal(bs)
	if err == nil && v != int(e) {
		err = errLength
	}
	return
}

func (exactly) Size(v int) int { return varint.PositiveInt.Size(v) }

func (exactly) Skip(bs []byte) (int, error) { return varint.PositiveInt.Skip(bs) }

// fewEmpty validates the length of a list whose items take no bytes.
var fewEmpty = com.ValidatorFn[int](func(length int) error {
	if length > maxEmptyItems {
		return errLength
	}
	return nil
})

// pointed is behind a pointer that always leads somewhere, so that nothing is written for the pointer.
type pointed[T any] struct{ to mus.Serializer[T] }

func (p pointed[T]) Marshal(v *T, bs []byte) int { return p.to.Marshal(*v, bs) }

func (p pointed[T]) Unmarshal(bs []byte) (v *T, n int, err error) {
	v = new(T)
	*v, n, err = p.to.Unmarshal(bs)
	return
}

func (p pointed[T]) Size(v *T) int { return p.to.Size(*v) }

func (p pointed[T]) Skip(bs []byte) (int, error) { return p.to.Skip(bs) }

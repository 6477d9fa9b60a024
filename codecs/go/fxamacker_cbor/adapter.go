// Package adapter uses fxamacker/cbor.
package adapter

import (
	"bytes"
	"math"

	"github.com/fxamacker/cbor/v2"

	"cell/domain"
	"serbench"
)

// Buffer writes into a buffer that is kept.
var Buffer = serbench.Adapter[domain.Root]{
	Encoder: serbench.Encodes[domain.Root](func() *writer { return new(writer) }),
	Decoder: serbench.Decodes[domain.Root](func() reader { return reader{} }),
}

var encoding = must(cbor.EncOptions{}.UserBufferEncMode())

// Without these, messages have at most 131,072 items in a list and 32 values inside each other.
var decoding = must(cbor.DecOptions{
	MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32, MaxNestedLevels: 65535,
}.DecMode())

func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

type writer struct{ buffer bytes.Buffer }

func (w *writer) Encode(root *domain.Root) ([]byte, error) {
	w.buffer.Reset()
	err := encoding.MarshalToBuffer(root, &w.buffer)
	return w.buffer.Bytes(), err
}

type reader struct{}

func (reader) Decode(bytes []byte, root *domain.Root) error {
	*root = domain.Root{}
	return decoding.Unmarshal(bytes, root)
}

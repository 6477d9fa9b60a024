// Package adapter uses vmihailenco/msgpack.
package adapter

import (
	"bytes"

	"github.com/vmihailenco/msgpack/v5"

	"cell/domain"
	"serbench"
)

// Encoder writes into a buffer that is kept, integers in as few bytes as they need.
var Encoder = serbench.Adapter[domain.Root]{
	Encoder: serbench.Encodes[domain.Root](newWriter),
	Decoder: serbench.Decodes[domain.Root](func() reader { return reader{} }),
}

type writer struct {
	buffer  bytes.Buffer
	encoder *msgpack.Encoder
}

func newWriter() *writer {
	made := new(writer)
	made.encoder = msgpack.NewEncoder(&made.buffer)
	made.encoder.UseCompactInts(true)
	return made
}

func (w *writer) Encode(root *domain.Root) ([]byte, error) {
	w.buffer.Reset()
	err := w.encoder.Encode(root)
	return w.buffer.Bytes(), err
}

type reader struct{}

func (reader) Decode(bytes []byte, root *domain.Root) error {
	*root = domain.Root{}
	return msgpack.Unmarshal(bytes, root)
}

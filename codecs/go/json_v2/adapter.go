// Package adapter uses the second version of JSON of Go's standard library.
package adapter

import (
	"bytes"
	"encoding/json/jsontext"
	"encoding/json/v2"

	"cell/domain"
	"serbench"
)

// Marshal makes a slice of its own each time.
var Marshal = serbench.Functions[domain.Root]{
	Marshal:   func(root *domain.Root) ([]byte, error) { return json.Marshal(root) },
	Unmarshal: func(bytes []byte, root *domain.Root) error { return json.Unmarshal(bytes, root) },
}.Adapter()

// Encoder writes into a buffer that is kept.
var Encoder = serbench.Adapter[domain.Root]{
	Encoder: serbench.Encodes[domain.Root](func() *stream { return new(stream) }),
	Decoder: Marshal.Decoder,
}

type stream struct {
	buffer  bytes.Buffer
	encoder jsontext.Encoder
}

func (s *stream) Encode(root *domain.Root) ([]byte, error) {
	s.buffer.Reset()
	s.encoder.Reset(&s.buffer)
	err := json.MarshalEncode(&s.encoder, root)
	return s.buffer.Bytes(), err
}

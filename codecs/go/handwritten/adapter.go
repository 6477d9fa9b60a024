// Package adapter is what a careful programmer writes without a library: numbers as they lie in memory,
// 8-byte counts, blocks copied whole.
package adapter

import (
	"cell/domain"
	"serbench"
)

// Handwritten appends to a kept buffer, and reads into the memory that an object has.
var Handwritten = serbench.Adapter[domain.Root]{
	Encoder: serbench.Encodes[domain.Root](func() *writer { return new(writer) }),
	Decoder: serbench.Decodes[domain.Root](func() *reader { return new(reader) }),
}

func (w *writer) Encode(root *domain.Root) ([]byte, error) {
	*w = writer{bytes: w.bytes[:0]}
	writeRoot(w, root)
	return w.bytes, w.err
}

func (r *reader) Decode(bytes []byte, root *domain.Root) error {
	*r = reader{rest: bytes}
	readRoot(r, root)
	return r.err
}

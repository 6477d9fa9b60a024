// Package adapter is the floor: it copies the canonical bytes, which no codec can undercut by doing its work
// better.
package adapter

import (
	"cell/domain"
	"serbench"
)

// Memcpy leaves out build and extract in serialize and deserialize.
var Memcpy = serbench.Adapter[domain.Root]{
	Encoder: serbench.Builds[domain.Root, []byte](func() *writer { return new(writer) }),
	Decoder: serbench.Views[domain.Root, []byte](func() reader { return reader{} }),
	Floor:   true,
}

type writer struct{ buffer []byte }

func (w *writer) Build(root *domain.Root, native *[]byte) (err error) {
	*native, err = domain.Canonical.Append((*native)[:0], root)
	return err
}

func (w *writer) Encode(native *[]byte) ([]byte, error) {
	w.buffer = append(w.buffer[:0], *native...)
	return w.buffer, nil
}

type reader struct{}

func (reader) Decode(bytes []byte, view *[]byte) error {
	*view = append((*view)[:0], bytes...)
	return nil
}

func (reader) Extract(view *[]byte, root *domain.Root) error {
	return domain.Canonical.Parse(*view, root)
}

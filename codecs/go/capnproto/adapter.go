// Package adapter uses Cap'n Proto: segments behind the standard table of their sizes, as they are or packed.
package adapter

//go:generate mkdir -p ../messages
//go:generate capnp compile -ogo:../messages --src-prefix=../idl ../idl/messages.capnp

import (
	"bytes"

	"capnproto.org/go/capnp/v3"
	"capnproto.org/go/capnp/v3/packed"

	"cell/domain"
	"serbench"
)

var (
	// Unpacked is read where it lies.
	Unpacked = serbench.Adapter[domain.Root]{
		Encoder: serbench.Builds[domain.Root, message](func() *writer {
			made := new(writer)
			made.to = capnp.NewEncoder(&made.buffer)
			return made
		}),
		Decoder: serbench.Views[domain.Root, view](func() reader { return reader{} }),
	}
	// Packed is unpacked into memory that is used again.
	Packed = serbench.Adapter[domain.Root]{
		Encoder: serbench.Builds[domain.Root, message](func() *writer {
			made := new(writer)
			made.to = capnp.NewPackedEncoder(&made.buffer)
			return made
		}),
		Decoder: serbench.Views[domain.Root, view](func() packedReader { return packedReader{} }),
	}
)

type writer struct {
	buffer bytes.Buffer
	to     *capnp.Encoder
}

func (*writer) Build(root *domain.Root, native *message) error {
	segment, err := native.start()
	if err != nil {
		return err
	}
	var found faults
	made, err := newRoot(segment)
	found.keep(err)
	buildRoot(made, root, &found)
	return found.Err
}

func (w *writer) Encode(native *message) ([]byte, error) {
	w.buffer.Reset()
	err := w.to.Encode(native.Message)
	return w.buffer.Bytes(), err
}

type extractor struct{}

func (extractor) Extract(view *view, root *domain.Root) error {
	var found faults
	extractRoot(view.root(), root, &found)
	return found.Err
}

func (extractor) Traverse(view *view) uint64 { return sumRoot(view.root()) }

func (extractor) Walk(view *view) uint64 { return walkRoot(view.root()) }

type reader struct{ extractor }

func (reader) Decode(bytes []byte, view *view) error { return view.open(bytes) }

type packedReader struct{ extractor }

func (packedReader) Decode(bytes []byte, view *view) (err error) {
	view.unpacked, err = packed.Unpack(view.unpacked[:0], bytes)
	if err != nil {
		return err
	}
	return view.open(view.unpacked)
}

// Package adapter uses FlatBuffers: the builder's own bytes, read in place.
package adapter

//go:generate flatc --go --no-warnings -o .. ../idl/messages.fbs

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"cell/domain"
	"serbench"
)

// InPlace keeps the builder.
var InPlace = serbench.Adapter[domain.Root]{
	Encoder: serbench.Builds[domain.Root, message](func() writer { return writer{} }),
	Decoder: serbench.Views[domain.Root, view](func() reader { return reader{} }),
}

type writer struct{}

func (writer) Build(root *domain.Root, native *message) error {
	native.start()
	native.Finish(buildRoot(native, root))
	return nil
}

func (writer) Encode(native *message) ([]byte, error) { return native.FinishedBytes(), nil }

type reader struct{}

// Decode checks nothing, since the library has no verifier in Go.
func (reader) Decode(bytes []byte, view *view) error {
	flatbuffers.GetRootAs(bytes, 0, view)
	return nil
}

func (reader) Extract(view *view, root *domain.Root) error {
	found := reading{bytes: len(view.Table().Bytes)}
	extractRoot(view, root, &found)
	return found.Err
}

func (reader) Traverse(view *view) uint64 { return sumRoot(view) }

func (reader) Walk(view *view) uint64 { return walkRoot(view) }

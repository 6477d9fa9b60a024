// Package adapter uses Protocol Buffers: messages of the official library, and functions that vtprotobuf
// generates for the same messages.
package adapter

//go:generate protoc -I../idl --go_out=.. --go_opt=module=cell,Mmessages.proto=cell/pb messages.proto
//go:generate -command vt protoc -I../idl --go-vtproto_out=.. --go-vtproto_opt=module=cell
//go:generate vt --go-vtproto_opt=Mmessages.proto=cell/pb,features=marshal+unmarshal+size messages.proto

import (
	"google.golang.org/protobuf/proto"

	"cell/domain"
	"serbench"
)

// Official marshals into a buffer that is kept.
var Official = serbench.Adapter[domain.Root]{
	Encoder: serbench.Builds[domain.Root, message](func() *writer { return new(writer) }),
	Decoder: serbench.Views[domain.Root, message](func() reader { return reader{} }),
}

// Vt does so by the functions that vtprotobuf generates.
var Vt = serbench.Adapter[domain.Root]{
	Encoder: serbench.Builds[domain.Root, message](func() *vtWriter { return new(vtWriter) }),
	Decoder: serbench.Views[domain.Root, message](func() vtReader { return vtReader{} }),
}

type builder struct{}

func (builder) Build(root *domain.Root, native *message) error {
	native.Reset()
	buildRoot(native, root)
	return nil
}

type extractor struct{}

func (extractor) Extract(view *message, root *domain.Root) error {
	var found faults
	extractRoot(view, root, &found)
	return found.err
}

func (extractor) Traverse(view *message) uint64 { return sumRoot(view) }

func (extractor) Walk(view *message) uint64 { return walkRoot(view) }

type writer struct {
	builder
	buffer []byte
}

func (w *writer) Encode(native *message) (encoded []byte, err error) {
	w.buffer, err = proto.MarshalOptions{}.MarshalAppend(w.buffer[:0], native)
	return w.buffer, err
}

type reader struct{ extractor }

func (reader) Decode(bytes []byte, view *message) error {
	return proto.UnmarshalOptions{RecursionLimit: recursionLimit}.Unmarshal(bytes, view)
}

type vtWriter struct {
	builder
	buffer []byte
}

func (w *vtWriter) Encode(native *message) ([]byte, error) {
	size := native.SizeVT()
	if cap(w.buffer) < size {
		w.buffer = make([]byte, size)
	}
	written, err := native.MarshalToSizedBufferVT(w.buffer[:size])
	return w.buffer[:written], err
}

type vtReader struct{ extractor }

func (vtReader) Decode(bytes []byte, view *message) error {
	view.Reset()
	return view.UnmarshalVT(bytes)
}

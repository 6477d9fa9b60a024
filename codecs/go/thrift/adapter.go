// Package adapter uses Apache Thrift: structs that its compiler generates, which protocols write to memory
// and read from it.
package adapter

//go:generate thrift -out .. --gen go:ignore_initialisms,skip_remote,package=messages ../idl/messages.thrift

import (
	"bytes"
	"context"
	"math"

	"github.com/apache/thrift/lib/go/thrift"

	"cell/domain"
	"serbench"
)

// firstSize is that of the library's serializer, in bytes.
const firstSize = 1024

// limits let messages be of any size.
var limits = &thrift.TConfiguration{MaxMessageSize: math.MaxInt32}

var background = context.Background()

type protocol func(transport thrift.TTransport) thrift.TProtocol

func compact(transport thrift.TTransport) thrift.TProtocol {
	return thrift.NewTCompactProtocolConf(transport, limits)
}

func binary(transport thrift.TTransport) thrift.TProtocol {
	return thrift.NewTBinaryProtocolConf(transport, limits)
}

var (
	// Compact has integers as varints.
	Compact = adapterOf(compact)
	// Binary has them at their width.
	Binary = adapterOf(binary)
)

func adapterOf(by protocol) serbench.Adapter[domain.Root] {
	return serbench.Adapter[domain.Root]{
		Encoder: serbench.Builds[domain.Root, message](func() *writer { return newWriter(by) }),
		Decoder: serbench.Views[domain.Root, message](func() *reader { return newReader(by) }),
	}
}

type writer struct {
	by        protocol
	transport *thrift.TMemoryBuffer
	to        thrift.TProtocol
}

func newWriter(by protocol) *writer {
	transport := thrift.NewTMemoryBufferLen(firstSize)
	return &writer{by, transport, by(transport)}
}

func (*writer) Build(root *domain.Root, native *message) error {
	*native = message{}
	buildRoot(native, root)
	return nil
}

func (w *writer) Encode(native *message) ([]byte, error) {
	w.transport.Reset()
	if err := native.Write(background, w.to); err != nil {
		w.to = w.by(w.transport) // the old one may stand inside a struct
		return nil, err
	}
	return w.transport.Bytes(), w.to.Flush(background)
}

type reader struct {
	by        protocol
	transport *thrift.TMemoryBuffer
	from      thrift.TProtocol
}

func newReader(by protocol) *reader {
	transport := thrift.NewTMemoryBuffer()
	return &reader{by, transport, by(transport)}
}

const errTrailing = serbench.Fault("bytes are left over")

// Decode begins with an empty message, since the library leaves in it what is not in the bytes.
func (r *reader) Decode(encoded []byte, view *message) error {
	*view = message{}
	r.transport.Buffer = bytes.NewBuffer(encoded)
	if err := view.Read(background, r.from); err != nil {
		r.from = r.by(r.transport) // the old one may stand inside a struct
		return err
	}
	if r.transport.Len() != 0 {
		return errTrailing
	}
	return nil
}

func (*reader) Extract(view *message, root *domain.Root) error {
	var found serbench.Faults
	extractRoot(view, root, &found)
	return found.Err
}

func (*reader) Traverse(view *message) uint64 { return sumRoot(view) }

func (*reader) Walk(view *message) uint64 { return walkRoot(view) }

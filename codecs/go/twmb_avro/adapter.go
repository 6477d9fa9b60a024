// Package adapter uses twmb/avro.
package adapter

//go:generate cp ../idl/messages.avsc .

import (
	_ "embed"
	"sync"

	"github.com/twmb/avro"

	"cell/domain"
	"serbench"
)

//go:embed messages.avsc
var text string

var schema = avro.MustParse(text)

// Structs appends to a buffer that is kept.
var Structs = serbench.Adapter[domain.Root]{
	Encoder: serbench.Builds[domain.Root, message](func() *writer { return new(writer) }),
	Decoder: decoder(),
}

func decoder() serbench.DecoderSide[domain.Root] {
	if serbench.WriterSchema == "" {
		return serbench.Views[domain.Root, message](func() reader { return reader{} })
	}
	return serbench.Views[domain.Root, message](func() resolving { return resolving{} })
}

type writer struct{ buffer []byte }

func (*writer) Build(root *domain.Root, native *message) error {
	*native = message{}
	buildRoot(native, root)
	return nil
}

func (w *writer) Encode(native *message) (encoded []byte, err error) {
	w.buffer, err = schema.AppendEncode(w.buffer[:0], native)
	return w.buffer, err
}

type reader struct{}

// Decode begins with an empty message, since the library leaves pairs in maps that are not in the bytes.
func (reader) Decode(bytes []byte, view *message) error {
	*view = message{}
	_, err := schema.Decode(bytes, view, avro.TaggedUnions())
	return err
}

func (reader) Extract(view *message, root *domain.Root) error {
	var found serbench.Faults
	extractRoot(view, root, &found)
	return found.Err
}

func (reader) Traverse(view *message) uint64 { return sumRoot(view) }

func (reader) Walk(view *message) uint64 { return walkRoot(view) }

// resolving reads messages that were written by another schema.
type resolving struct{ reader }

var resolve = sync.OnceValues(func() (*avro.Schema, error) {
	written, err := avro.Parse(serbench.WriterSchema)
	if err != nil {
		return nil, err
	}
	return avro.Resolve(written, schema)
})

func (resolving) Decode(bytes []byte, view *message) error {
	resolved, err := resolve()
	if err != nil {
		return err
	}
	*view = message{}
	_, err = resolved.Decode(bytes, view, avro.TaggedUnions())
	return err
}

// branchOf is the branch of a union, and what the library read of it.
func branchOf(value any) (string, any) {
	tagged, _ := value.(map[string]any)
	for tag, chosen := range tagged {
		return tag, chosen
	}
	return "", nil
}

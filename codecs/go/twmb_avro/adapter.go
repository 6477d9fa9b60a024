// Package adapter uses twmb/avro.
package adapter

//go:generate cp ../idl/messages.avsc .

import (
	_ "embed"

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
	Decoder: serbench.Views[domain.Root, message](func() reader { return reader{} }),
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

// branchOf is the branch of a union, and what the library read of it.
func branchOf(value any) (string, any) {
	tagged, _ := value.(map[string]any)
	for tag, chosen := range tagged {
		return tag, chosen
	}
	return "", nil
}

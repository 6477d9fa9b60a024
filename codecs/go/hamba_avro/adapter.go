// Package adapter uses hamba/avro.
package adapter

//go:generate cp ../idl/messages.avsc .

import (
	_ "embed"
	"sync"

	"github.com/hamba/avro/v2"

	"cell/domain"
	"serbench"
)

//go:embed messages.avsc
var text string

var (
	schema = avro.MustParse(text)
	api    = told()
)

// told knows the types of the branches of unions.
func told() avro.API {
	made := avro.Config{}.Freeze()
	made.Register("int", int32(0))
	register(made.Register)
	return made
}

// Structs writes into a buffer that is kept.
var Structs = serbench.Adapter[domain.Root]{
	Encoder: serbench.Builds[domain.Root, message](newWriter),
	Decoder: decoder(),
}

func decoder() serbench.DecoderSide[domain.Root] {
	if serbench.WriterSchema == "" {
		return serbench.Views[domain.Root, message](func() reader { return reader{} })
	}
	return serbench.Views[domain.Root, message](func() resolving { return resolving{} })
}

type writer struct{ to *avro.Writer }

func newWriter() *writer { return &writer{avro.NewWriter(nil, 512, avro.WithWriterConfig(api))} }

func (*writer) Build(root *domain.Root, native *message) error {
	*native = message{}
	buildRoot(native, root)
	return nil
}

func (w *writer) Encode(native *message) ([]byte, error) {
	w.to.Reset(nil)
	w.to.Error = nil
	w.to.WriteVal(schema, native)
	return w.to.Buffer(), w.to.Error
}

type reader struct{}

// Decode begins with an empty message, since the library leaves in it what is not in the bytes.
func (reader) Decode(bytes []byte, view *message) error {
	*view = message{}
	return api.Unmarshal(schema, bytes, view)
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

var resolve = sync.OnceValues(func() (avro.Schema, error) {
	written, err := avro.Parse(serbench.WriterSchema)
	if err != nil {
		return nil, err
	}
	return avro.NewSchemaCompatibility().Resolve(schema, written)
})

func (resolving) Decode(bytes []byte, view *message) error {
	resolved, err := resolve()
	if err != nil {
		return err
	}
	*view = message{}
	return api.Unmarshal(resolved, bytes, view)
}

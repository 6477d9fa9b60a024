// Package serbench is the measuring program of cells in Go (docs/protocol.md), and what an adapter is.
package serbench

// Adapter is one way of using a library: two sides, so that the memory policy fresh makes neither pay for the
// other. Of both, what start functions make is what a program keeps between messages.
type Adapter[Root any] struct {
	Encoder EncoderSide[Root]
	Decoder DecoderSide[Root]
	// Floor says that it is a bound and no codec: its operations leave out build and extract.
	Floor bool
}

// Encoder writes domain objects.
type Encoder[Root any] interface {
	// Encode gives bytes that may be the encoder's own, until its next call.
	Encode(root *Root) ([]byte, error)
}

// Decoder reads domain objects.
type Decoder[Root any] interface {
	// Decode overwrites root whole, whatever it held.
	Decode(bytes []byte, root *Root) error
}

// Builder writes objects of the library's own, which are built from domain objects.
type Builder[Root, Native any] interface {
	// Build overwrites native whole, whatever it held.
	Build(root *Root, native *Native) error
	// Encode gives bytes that may be the encoder's own, until its next call.
	Encode(native *Native) ([]byte, error)
}

// Viewer reads objects of the library's own, from which domain objects are extracted. A view may refer to the
// bytes, which stay as they are for as long as it is used.
type Viewer[Root, View any] interface {
	// Decode overwrites view whole, whatever it held.
	Decode(bytes []byte, view *View) error
	// Extract overwrites root whole, whatever it held.
	Extract(view *View, root *Root) error
}

// FastViewer is a Viewer that can leave out checks.
type FastViewer[View any] interface {
	// DecodeFast does as Decode, without checks that the library can leave out.
	DecodeFast(bytes []byte, view *View) error
}

// Traverser is a Viewer whose views are read without domain objects.
type Traverser[View any] interface {
	// Traverse adds every field to a sum, as the Sum of a Domain does.
	Traverse(view *View) uint64
}

// Walker is a Viewer whose views are walked without domain objects.
type Walker[View any] interface {
	// Walk is the walk over a graph, as DepthFirst tells.
	Walk(view *View) uint64
}

// Functions are an adapter of a library that writes and reads domain objects, and of which a program keeps
// nothing from one message to the next, or a buffer.
type Functions[Root any] struct {
	// Marshal gives bytes of their own. It is nil where there is Append.
	Marshal func(root *Root) ([]byte, error)
	// Append appends to a buffer, which is kept under reuse.
	Append func(buffer []byte, root *Root) ([]byte, error)
	// Unmarshal reads into an object that is empty each time, as a variable is that was just declared.
	Unmarshal func(bytes []byte, root *Root) error
}

// Adapter is the adapter that these functions are.
func (f Functions[Root]) Adapter() Adapter[Root] {
	encoder := Encodes[Root](func() marshals[Root] { return marshals[Root]{&f} })
	if f.Append != nil {
		encoder = Encodes[Root](func() *appends[Root] { return &appends[Root]{to: f.Append} })
	}
	return Adapter[Root]{encoder, Decodes[Root](func() unmarshals[Root] { return unmarshals[Root]{&f} }), false}
}

type marshals[Root any] struct{ by *Functions[Root] }

func (m marshals[Root]) Encode(root *Root) ([]byte, error) { return m.by.Marshal(root) }

type appends[Root any] struct {
	to     func(buffer []byte, root *Root) ([]byte, error)
	buffer []byte
}

func (a *appends[Root]) Encode(root *Root) (encoded []byte, err error) {
	a.buffer, err = a.to(a.buffer[:0], root)
	return a.buffer, err
}

type unmarshals[Root any] struct{ by *Functions[Root] }

func (u unmarshals[Root]) Decode(bytes []byte, root *Root) error {
	var empty Root
	*root = empty
	return u.by.Unmarshal(bytes, root)
}

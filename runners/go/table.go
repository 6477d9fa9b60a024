package serbench

import (
	"reflect"
	"unsafe"
)

// The measuring program calls an adapter without its types. Objects are behind pointers, and each call goes
// through an interface into another package, so that the compiler sees neither what is called nor what
// becomes of a result.

// EncoderSide makes encoders, and the native objects that they encode.
type EncoderSide[Root any] struct {
	start     func() encoder
	newNative func() unsafe.Pointer // nil where it is the domain object
	native    reflect.Type          // nil likewise
}

// DecoderSide makes decoders, and the views that they decode into.
type DecoderSide[Root any] struct {
	start   func() decoder
	newView func() unsafe.Pointer // nil where it is the domain object
	view    reflect.Type          // nil likewise

	isFast, traverses, walks bool
}

type encoder interface {
	build(root, native unsafe.Pointer) error
	encode(native unsafe.Pointer) ([]byte, error)
}

type decoder interface {
	decode(bytes []byte, view unsafe.Pointer) error
	decodeFast(bytes []byte, view unsafe.Pointer) error
	extract(view, root unsafe.Pointer) error
	traverse(view unsafe.Pointer) uint64
	walk(view unsafe.Pointer) uint64
}

// Encodes is the side of what writes domain objects. What start gives is made anew for each message under
// fresh.
func Encodes[Root any, E Encoder[Root]](start func() E) EncoderSide[Root] {
	return EncoderSide[Root]{start: func() encoder { return directEncoder[Root, E]{start()} }}
}

// Builds is the side of what writes objects of the library's own.
func Builds[Root, Native any, B Builder[Root, Native]](start func() B) EncoderSide[Root] {
	return EncoderSide[Root]{
		start:     func() encoder { return ownEncoder[Root, Native, B]{start()} },
		newNative: made[Native],
		native:    reflect.TypeFor[Native](),
	}
}

// Decodes is the side of what reads domain objects.
func Decodes[Root any, D Decoder[Root]](start func() D) DecoderSide[Root] {
	return DecoderSide[Root]{start: func() decoder { return directDecoder[Root, D]{start()} }}
}

// Views is the side of what reads objects of the library's own.
func Views[Root, View any, V Viewer[Root, View]](start func() V) DecoderSide[Root] {
	side := DecoderSide[Root]{
		start:   func() decoder { return ownDecoder[Root, View, V]{start()} },
		newView: made[View],
		view:    reflect.TypeFor[View](),
	}
	viewer := any(start())
	_, side.isFast = viewer.(FastViewer[View])
	_, side.traverses = viewer.(Traverser[View])
	_, side.walks = viewer.(Walker[View])
	return side
}

func made[T any]() unsafe.Pointer { return unsafe.Pointer(new(T)) }

type directEncoder[Root any, E Encoder[Root]] struct{ made E }

func (e directEncoder[Root, E]) build(_, _ unsafe.Pointer) error {
	panic("what encodes domain objects builds no others")
}

func (e directEncoder[Root, E]) encode(root unsafe.Pointer) ([]byte, error) {
	return e.made.Encode((*Root)(root))
}

type ownEncoder[Root, Native any, B Builder[Root, Native]] struct{ made B }

func (e ownEncoder[Root, Native, B]) build(root, native unsafe.Pointer) error {
	return e.made.Build((*Root)(root), (*Native)(native))
}

func (e ownEncoder[Root, Native, B]) encode(native unsafe.Pointer) ([]byte, error) {
	return e.made.Encode((*Native)(native))
}

type directDecoder[Root any, D Decoder[Root]] struct{ made D }

func (d directDecoder[Root, D]) decode(bytes []byte, root unsafe.Pointer) error {
	return d.made.Decode(bytes, (*Root)(root))
}

func (d directDecoder[Root, D]) decodeFast([]byte, unsafe.Pointer) error {
	panic("there is no decode_fast")
}
func (d directDecoder[Root, D]) extract(_, _ unsafe.Pointer) error { panic("there is no extract") }
func (d directDecoder[Root, D]) traverse(unsafe.Pointer) uint64    { panic("there is no traverse") }
func (d directDecoder[Root, D]) walk(unsafe.Pointer) uint64        { panic("there is no walk") }

type ownDecoder[Root, View any, V Viewer[Root, View]] struct{ made V }

func (d ownDecoder[Root, View, V]) decode(bytes []byte, view unsafe.Pointer) error {
	return d.made.Decode(bytes, (*View)(view))
}

func (d ownDecoder[Root, View, V]) decodeFast(bytes []byte, view unsafe.Pointer) error {
	return any(d.made).(FastViewer[View]).DecodeFast(bytes, (*View)(view))
}

func (d ownDecoder[Root, View, V]) extract(view, root unsafe.Pointer) error {
	return d.made.Extract((*View)(view), (*Root)(root))
}

func (d ownDecoder[Root, View, V]) traverse(view unsafe.Pointer) uint64 {
	return any(d.made).(Traverser[View]).Traverse((*View)(view))
}

func (d ownDecoder[Root, View, V]) walk(view unsafe.Pointer) uint64 {
	return any(d.made).(Walker[View]).Walk((*View)(view))
}

// table is what one cell is made of.
type table struct {
	newEncoder func() encoder
	newDecoder func() decoder
	newNative  func() unsafe.Pointer
	newView    func() unsafe.Pointer
	newRoot    func() unsafe.Pointer
	empty      func(root unsafe.Pointer) // makes it as newRoot does

	builds, extracts, isFast, traversesItself, walksItself, isFloor bool

	relays bool // what is decoded can be encoded, since it is of the type that is encoded

	domain domain
}

// domain is the Domain of a workload without its types.
type domain struct {
	read  func(from *Reader, root unsafe.Pointer)
	write func(to *Writer, root unsafe.Pointer)
	sum   func(root unsafe.Pointer) uint64
	walk  func(root unsafe.Pointer) uint64 // nil where it is no graph
}

func tableOf[Root any](types Domain[Root], adapter Adapter[Root]) *table {
	one, other := adapter.Encoder, adapter.Decoder
	table := &table{
		newEncoder: one.start, newDecoder: other.start,
		newNative: one.newNative, newView: other.newView, newRoot: made[Root],
		empty:  func(root unsafe.Pointer) { *(*Root)(root) = *new(Root) },
		builds: one.newNative != nil, extracts: other.newView != nil, isFast: other.isFast,
		traversesItself: other.traverses, walksItself: other.walks, isFloor: adapter.Floor,
		relays: one.native == other.view,
		domain: domain{
			read:  func(from *Reader, root unsafe.Pointer) { types.Read(from, (*Root)(root)) },
			write: func(to *Writer, root unsafe.Pointer) { types.Write(to, (*Root)(root)) },
			sum:   func(root unsafe.Pointer) uint64 { return types.Sum((*Root)(root)) },
		},
	}
	if types.Walk != nil {
		table.domain.walk = func(root unsafe.Pointer) uint64 { return types.Walk((*Root)(root)) }
	}
	return table
}

// readWhole makes an object what canonical bytes say, in the memory that it has.
func (d *domain) readWhole(bytes []byte, root unsafe.Pointer) error {
	from := Reader{rest: bytes}
	d.read(&from, root)
	return from.finish()
}

// appendTo appends the canonical bytes of an object.
func (d *domain) appendTo(out []byte, root unsafe.Pointer) ([]byte, error) {
	to := Writer{bytes: out}
	d.write(&to, root)
	return to.bytes, to.err
}

package serbench

import "unsafe"

// memory is the policy of objects: used again for the next message, or made anew for each.
type memory int

const (
	reuse memory = iota
	fresh
)

// slot is an object that is used again for each message, or made anew for each. The one before is garbage
// then, which the passes that are timed pay for.
type slot struct {
	memory memory
	make   func() unsafe.Pointer
	object unsafe.Pointer
}

// take is the object for the next message.
func (s *slot) take() unsafe.Pointer {
	if s.memory == fresh || s.object == nil {
		s.object = s.make()
	}
	return s.object
}

// kept is the object that will be used again; nil where it will be made anew, or there is none yet.
func (s *slot) kept() unsafe.Pointer {
	if s.memory == fresh {
		return nil
	}
	return s.object
}

// encoding encodes one message after another.
type encoding struct {
	of     *table
	memory memory
	native slot
	side   encoder
}

func (t *table) encoding(memory memory) *encoding {
	return &encoding{of: t, memory: memory, native: slot{memory: memory, make: t.newNative}}
}

func (e *encoding) next() encoder {
	if e.memory == fresh || e.side == nil {
		e.side = e.of.newEncoder()
	}
	return e.side
}

func (e *encoding) build(root unsafe.Pointer) (unsafe.Pointer, error) {
	native := e.native.take()
	return native, e.next().build(root, native)
}

func (e *encoding) encode(native unsafe.Pointer) ([]byte, error) { return e.next().encode(native) }

func (e *encoding) serialize(root unsafe.Pointer) ([]byte, error) {
	if !e.of.builds {
		return e.next().encode(root)
	}
	native, err := e.build(root)
	if err != nil {
		return nil, err
	}
	return e.side.encode(native)
}

// decoding decodes one message after another. Where domain objects are decoded, root and view are one.
type decoding struct {
	of         *table
	memory     memory
	root, view slot
	side       decoder
}

func (t *table) decoding(memory memory) *decoding {
	made := &decoding{of: t, memory: memory}
	made.root = slot{memory: memory, make: t.newRoot}
	made.view = slot{memory: memory, make: t.newView}
	return made
}

func (d *decoding) next() decoder {
	if d.memory == fresh || d.side == nil {
		d.side = d.of.newDecoder()
	}
	return d.side
}

// decoded is what decode fills.
func (d *decoding) decoded() *slot {
	if d.of.extracts {
		return &d.view
	}
	return &d.root
}

func (d *decoding) decode(bytes []byte, isFast bool) (unsafe.Pointer, error) {
	view := d.decoded().take()
	if isFast {
		return view, d.next().decodeFast(bytes, view)
	}
	return view, d.next().decode(bytes, view)
}

func (d *decoding) extract(view unsafe.Pointer) (unsafe.Pointer, error) {
	root := d.root.take()
	return root, d.next().extract(view, root)
}

func (d *decoding) deserialize(bytes []byte, isFast bool) (unsafe.Pointer, error) {
	view, err := d.decode(bytes, isFast)
	if err != nil || !d.of.extracts {
		return view, err
	}
	root := d.root.take()
	return root, d.side.extract(view, root)
}

// sum is the sum over a view, or that of its walk, by the decoder that there is.
func (d *decoding) sum(side decoder, view unsafe.Pointer, walks bool) uint64 {
	switch {
	case walks && d.of.walksItself:
		return side.walk(view)
	case walks:
		return d.of.domain.walk(view)
	case d.of.traversesItself:
		return side.traverse(view)
	default:
		return d.of.domain.sum(view)
	}
}

func (d *decoding) decodeSum(bytes []byte, isFast, walks bool) (uint64, error) {
	view, err := d.decode(bytes, isFast)
	if err != nil {
		return 0, err
	}
	return d.sum(d.side, view, walks), nil
}

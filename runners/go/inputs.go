package serbench

import "unsafe"

// input is what an operation starts from.
type input int

const (
	fromRoots input = iota
	fromNatives
	fromBytes
	fromViews
)

// inputs are the messages of a dataset as domain objects, native objects, bytes and views. Those that were
// not asked for are not made, since big datasets would hold all at once.
type inputs struct {
	of      *table
	roots   []unsafe.Pointer
	natives []unsafe.Pointer
	encoded [][]byte
	views   []unsafe.Pointer

	preparing *encoding
	first     int  // the message with which passes begin
	isAlone   bool // passes are over that message alone

	// given are bodies that another program has encoded, one for each message and then one for each edit, and
	// bodies tells which of them is that of a message; nil where this program encodes.
	given  [][]byte
	bodies []int
}

func (in *inputs) load(canonical [][]byte) error {
	place.moveSmall()
	*in = inputs{of: in.of, preparing: in.of.encoding(reuse)}
	for _, bytes := range canonical {
		place.leaveGap(len(canonical))
		root := in.of.newRoot()
		if err := in.of.domain.readWhole(bytes, root); err != nil {
			return err
		}
		in.roots = append(in.roots, root)
	}
	return nil
}

// give has the bytes of messages be these bodies from now on, until others are loaded.
func (in *inputs) give(given [][]byte) {
	in.given, in.bodies = given, make([]int, len(in.roots))
	for message := range in.bodies {
		in.bodies[message] = message
	}
	in.encoded, in.views = nil, nil
}

// giveEdited has the body of a message be the one for these edits of it, at most one; it does nothing where
// no bodies are given.
func (in *inputs) giveEdited(message int, edits []uint32) {
	if in.given == nil {
		return
	}
	in.bodies[message] = message
	for _, number := range edits {
		in.bodies[message] = len(in.roots) + int(number)
	}
}

// bytesOf are the bytes that a message would be encoded to now, or its body; valid until the next call.
func (in *inputs) bytesOf(message int, encoding *encoding) ([]byte, error) {
	if in.given != nil {
		return in.given[in.bodies[message]], nil
	}
	return encoding.serialize(in.roots[message])
}

// each calls use with the number of each message, from the one on with which passes begin, or of that one
// alone.
func (in *inputs) each(use func(message int) error) error {
	if in.isAlone {
		return use(in.first)
	}
	for message := in.first; message < len(in.roots); message++ {
		if err := use(message); err != nil {
			return err
		}
	}
	for message := range in.first {
		if err := use(message); err != nil {
			return err
		}
	}
	return nil
}

// endWith has passes end with a message from now on.
func (in *inputs) endWith(message int) { in.first = (message + 1) % len(in.roots) }

// takeAlone has passes be over a message alone from now on.
func (in *inputs) takeAlone(message int) { in.first, in.isAlone = message, true }

// prepare makes what an operation starts from.
func (in *inputs) prepare(from input) error {
	switch from {
	case fromNatives:
		return in.prepareNatives()
	case fromBytes:
		return in.prepareBytes()
	case fromViews:
		if err := in.prepareBytes(); err != nil {
			return err
		}
		return in.prepareViews()
	}
	return nil
}

func (in *inputs) prepareNatives() error {
	if in.natives != nil {
		return nil
	}
	encoder := in.of.newEncoder()
	for _, root := range in.roots {
		place.leaveGap(len(in.roots))
		native := in.of.newNative()
		if err := encoder.build(root, native); err != nil {
			return err
		}
		in.natives = append(in.natives, native)
	}
	return nil
}

func (in *inputs) prepareBytes() error {
	if in.encoded != nil {
		return nil
	}
	encoding := in.of.encoding(reuse)
	for message := range in.roots {
		bytes, err := in.bytesOf(message, encoding)
		if err != nil {
			return err
		}
		in.encoded = append(in.encoded, place.placed(bytes, len(in.roots)))
	}
	return nil
}

func (in *inputs) prepareViews() error {
	if in.views != nil {
		return nil
	}
	decoder := in.of.newDecoder()
	for _, bytes := range in.encoded {
		place.leaveGap(len(in.roots))
		view := in.newView()
		if err := decoder.decode(bytes, view); err != nil {
			return err
		}
		in.views = append(in.views, view)
	}
	return nil
}

func (in *inputs) newView() unsafe.Pointer {
	if in.of.extracts {
		return in.of.newView()
	}
	return in.of.newRoot()
}

// renew makes what there is of a message, besides the domain object, once more.
func (in *inputs) renew(message int) error {
	if in.natives != nil {
		if err := in.of.newEncoder().build(in.roots[message], in.natives[message]); err != nil {
			return err
		}
	}
	if in.encoded != nil {
		bytes, err := in.bytesOf(message, in.preparing)
		if err != nil {
			return err
		}
		if !in.replace(message, bytes) {
			in.encoded[message] = place.placed(bytes, len(in.roots))
		}
	}
	if in.views != nil {
		// Into another object: strings of the one before may be of the bytes.
		in.views[message] = in.newView()
		return in.of.newDecoder().decode(in.encoded[message], in.views[message])
	}
	return nil
}

// replace overwrites the encoded bytes of a message with others; it returns whether they are as many.
func (in *inputs) replace(message int, bytes []byte) bool {
	if len(bytes) != len(in.encoded[message]) {
		return false
	}
	copy(in.encoded[message], bytes)
	return true
}

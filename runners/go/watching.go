package serbench

import (
	"bytes"
	"fmt"
	"slices"
	"unsafe"
)

// watching sees to it that what is timed is what is checked: between samples, outside the clock, values of
// the messages change where they lie, and what the timed passes left is held to what it must be
// (docs/protocol.md, "Edits").
//
// A change of domain objects or of bytes needs no call into the adapter, so that nothing tells it of one.
// Native objects and views are the library's and change by its own build and decode.
type watching struct {
	inputs    *inputs
	edited    *edited
	last      int
	shifted   forced // what is in force after the next shift
	later     map[int][]byte
	stale     map[int]bool // messages that have changed since what was prepared from them
	givenBack map[int][]byte
}

func newWatching(inputs *inputs, edited *edited) *watching {
	return &watching{inputs: inputs, edited: edited, stale: map[int]bool{}, givenBack: map[int][]byte{}}
}

// renew changes values, and what was prepared from them for this input.
func (w *watching) renew(from input) error {
	w.last = w.edited.drawMessage()
	w.inputs.endWith(w.last)
	w.later = nil
	later := w.edited.draw(w.last, w.edited.forced)
	now := w.edited.draw(w.last, later)
	if from == fromBytes {
		if err := w.keepForLater(later, now); err != nil {
			return err
		}
	}
	if err := w.set(now); err != nil {
		return err
	}
	for message := range w.stale {
		if err := w.inputs.renew(message); err != nil {
			return err
		}
	}
	clear(w.stale)
	w.shifted = later
	return nil
}

// shift changes values once more without a call into the adapter, where that can be.
func (w *watching) shift(from input) error {
	if from == fromRoots {
		return w.set(w.shifted)
	}
	if from != fromBytes || !w.fits() {
		return nil
	}
	err := w.set(w.shifted)
	for message, encoded := range w.later {
		w.inputs.replace(message, encoded)
	}
	return err
}

// spoil changes values of what an operation decodes into, which it has to write anew. Strings of it may be
// the codec's or those of its input, so that all of it is made anew.
func (w *watching) spoil(destination unsafe.Pointer) error {
	other := slices.Clone(w.edited.messages[w.last])
	for _, each := range w.edited.edits[w.last] {
		copy(other[each.offset:], each.bytes)
	}
	from := Reader{rest: other, isApart: true}
	w.inputs.of.empty(destination)
	w.inputs.of.domain.read(&from, destination)
	return from.finish()
}

const verdict = "after its values changed: the timed code returns remembered results, or skips work"

// check holds what an operation left to what its last message now is.
func (w *watching) check(operation string, done *work) error {
	now := w.edited.now(w.last, w.edited.messages[w.last])
	if done.sum != nil {
		if found := done.sum(); w.isSumOf(now, found, done.walks) || w.isSumOf(w.now(), found, done.walks) {
			return nil
		}
		return fmt.Errorf("the sum of %s does not match message %d %s", operation, w.last, verdict)
	}
	left, err := done.left(nil)
	if err != nil {
		return err
	}
	if bytes.Equal(left, now) || bytes.Equal(left, w.now()) {
		return nil
	}
	return fmt.Errorf("the result of %s does not match message %d %s", operation, w.last, verdict)
}

// now is what the last message comes back as, with the edits: other bytes than the dataset's where a codec is
// lossy by design, to which verify holds it.
func (w *watching) now() []byte {
	if w.givenBack[w.last] == nil {
		w.givenBack[w.last] = w.wayBack(w.edited.messages[w.last])
	}
	return w.edited.now(w.last, w.givenBack[w.last])
}

func (w *watching) wayBack(canonical []byte) []byte {
	of := w.inputs.of
	root := of.newRoot()
	if of.domain.readWhole(canonical, root) != nil {
		return nil
	}
	encoded, err := of.encoding(fresh).serialize(root)
	if err != nil {
		return nil
	}
	back, err := of.decoding(fresh).deserialize(slices.Clone(encoded), false)
	if err != nil {
		return nil
	}
	found, _ := of.domain.appendTo(nil, back)
	return found
}

func (w *watching) isSumOf(canonical []byte, found uint64, walks bool) bool {
	of := w.inputs.of
	root := of.newRoot()
	if of.domain.readWhole(canonical, root) != nil {
		return false
	}
	if walks {
		return found == of.domain.walk(root)
	}
	return found == of.domain.sum(root)
}

// set puts these edits in force, in the domain objects.
func (w *watching) set(next forced) error {
	for _, message := range w.edited.set(next) {
		bytes := w.edited.now(message, w.edited.messages[message])
		if err := w.inputs.of.domain.readWhole(bytes, w.inputs.roots[message]); err != nil {
			return err
		}
		w.stale[message] = true
	}
	return nil
}

// fits tells whether there are encoded bytes for the next shift, and all are as many as those that they take
// the place of.
func (w *watching) fits() bool {
	for message, encoded := range w.later {
		if len(encoded) != len(w.inputs.encoded[message]) {
			return false
		}
	}
	return len(w.later) > 0
}

// keepForLater encodes the messages as they will be after the next shift: those that are edited then, now, or
// were before.
func (w *watching) keepForLater(later, now forced) error {
	if err := w.set(later); err != nil {
		return err
	}
	for message := range now {
		w.stale[message] = true
	}
	w.later = map[int][]byte{}
	for message := range w.stale {
		encoded, err := w.inputs.preparing.serialize(w.inputs.roots[message])
		if err != nil {
			return err
		}
		w.later[message] = slices.Clone(encoded)
	}
	return nil
}

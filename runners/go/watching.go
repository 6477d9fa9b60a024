package serbench

import (
	"fmt"
	"slices"
	"unsafe"
)

// watching sees to it that what is timed is what is checked: between samples, outside the clock, values of
// the messages change where they lie, and what the timed passes left is written down for serbench, which
// knows what it must be (docs/protocol.md, "What passes leave").
//
// A change of domain objects or of bytes needs no call into the adapter, so that nothing tells it of one.
// Native objects and views are the library's and change by its own build and decode.
type watching struct {
	inputs  *inputs
	edited  *edited
	left    *leftFile
	last    int
	shifted forced // what is in force after the next shift
	later   map[int][]byte
	stale   map[int]bool // messages that have changed since what was prepared from them
	spared  []int        // edits whose bodies, which another program has encoded, no pass has met
}

func newWatching(inputs *inputs, edited *edited, left *leftFile) *watching {
	made := &watching{inputs: inputs, edited: edited, left: left, stale: map[int]bool{}}
	if inputs.given != nil {
		made.spared = edited.spareAny() // since there is a body for each edit alone
	}
	return made
}

// renew changes values, and what was prepared from them for this input; shifts says whether they change once
// more before somebody looks. What is looked at is never what it was the last time.
func (w *watching) renew(from input, shifts bool) error {
	w.last = w.edited.drawMessage()
	w.inputs.endWith(w.last)
	w.later = nil
	later := w.edited.draw(w.last, w.edited.forced)
	now := later
	if shifts && (from == fromRoots || from == fromBytes) {
		now = w.edited.draw(w.last, later)
	}
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
	for n, each := range w.edited.edits[w.last] {
		if own := w.edited.forced[w.last]; n >= len(own) || !own[n] {
			copy(other[each.offset:], each.bytes)
		}
	}
	from := Reader{rest: other, isApart: true}
	w.inputs.of.empty(destination)
	w.inputs.of.domain.read(&from, destination)
	return from.finish()
}

const verdict = "after its values changed: the timed code returns remembered results, or skips work"

// alikeSums is what sums of the same differ by a multiple of: floats count by their bits, and to some formats
// -0.0 is 0.0.
const alikeSums = 1 << 31

// writeDown appends what an operation left of its last message to the file. Bytes that were encoded are not
// decoded here, and nothing but sums is compared: an adapter that cheats with both hands would agree with
// itself.
func (w *watching) writeDown(operation, policy string, done *work) error {
	kind, rest, err := done.found()
	if err != nil {
		return err
	}
	err = w.left.add(record{
		operation + ":" + policy, kind, done.walks, w.last, w.edited.numbersOf(w.last), rest,
	})
	if err != nil || kind != leftSum {
		return err
	}
	expected, err := w.sum(done.walks)
	if err == nil && (done.sum()-expected)%alikeSums != 0 {
		return fmt.Errorf("the sum of %s does not match message %d %s", operation, w.last, verdict)
	}
	return err
}

// sum is that of the last message as it now is.
func (w *watching) sum(walks bool) (uint64, error) {
	of := w.inputs.of
	root := of.newRoot()
	if err := of.domain.readWhole(w.edited.now(w.last), root); err != nil {
		return 0, err
	}
	if walks {
		return of.domain.walk(root), nil
	}
	return of.domain.sum(root), nil
}

// set puts these edits in force, in the domain objects.
func (w *watching) set(next forced) error {
	for _, message := range w.edited.set(next) {
		bytes := w.edited.now(message)
		if err := w.inputs.of.domain.readWhole(bytes, w.inputs.roots[message]); err != nil {
			return err
		}
		w.inputs.giveEdited(message, w.edited.numbersOf(message))
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

// keepForLater keeps the bytes of the messages as they will be after the next shift: those that are edited
// then, now, or were before.
func (w *watching) keepForLater(later, now forced) error {
	if err := w.set(later); err != nil {
		return err
	}
	for message := range now {
		w.stale[message] = true
	}
	w.later = map[int][]byte{}
	for message := range w.stale {
		encoded, err := w.inputs.bytesOf(message, w.inputs.preparing)
		if err != nil {
			return err
		}
		w.later[message] = slices.Clone(encoded)
	}
	return nil
}

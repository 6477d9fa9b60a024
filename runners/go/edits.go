package serbench

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
)

const (
	// othersChanged is how many other messages change besides the last.
	othersChanged = 4
	// mostInForce is how many edits of a message are in force at most: who looks at a few of its values, to
	// know it again, misses them.
	mostInForce = 3
)

// edit is what one value may become: bytes in place of as many from an offset on, in the canonical bytes of
// its message. It has a number in its file.
type edit struct {
	number uint32
	offset int
	bytes  []byte
}

// forced tells, of some messages, which of their edits are in force; of all others, none are.
type forced map[int][]bool

// edited are messages some of whose values are other than those of the dataset for a while.
type edited struct {
	messages [][]byte
	edits    map[int][]edit
	numbers  []int // of the messages that have edits
	forced   forced
	most     int // edits of a message that are drawn at a time
	odd      int // where most is 1, the even or the odd edits of a message are spared
}

// spareAny has one edit of a message be drawn at a time, and every second one never, so that a process draws
// those that another one spares. It returns the numbers of the spared ones, in an order that is drawn.
func (e *edited) spareAny() []int {
	e.most, e.odd = 1, place.below(2)
	var spared []int
	for _, message := range e.numbers {
		own := e.edits[message]
		for n := e.odd; n < len(own) && len(own) > 1; n += 2 {
			spared = append(spared, int(own[n].number))
		}
	}
	for left := len(spared); left > 1; left-- {
		n := place.below(left)
		spared[left-1], spared[n] = spared[n], spared[left-1]
	}
	return spared
}

// openEdits reads a file of edits (docs/protocol.md, "Edits"); nil where it has none.
func openEdits(path string, messages [][]byte) (*edited, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < 16 || string(data[:8]) != "SERBEDIT" || binary.LittleEndian.Uint32(data[8:]) != 1 {
		return nil, fmt.Errorf("%s is no file of edits of version 1", path)
	}
	made := &edited{messages: messages, edits: map[int][]edit{}, most: mostInForce}
	count := binary.LittleEndian.Uint32(data[12:])
	data = data[16:]
	for number := range count {
		if len(data) < 12 {
			return nil, fmt.Errorf("%s is cut off", path)
		}
		message := int(binary.LittleEndian.Uint32(data))
		offset, size := int(binary.LittleEndian.Uint32(data[4:])), int(binary.LittleEndian.Uint32(data[8:]))
		if data = data[12:]; len(data) < size {
			return nil, fmt.Errorf("%s is cut off", path)
		}
		if message >= len(messages) || offset+size > len(messages[message]) {
			return nil, fmt.Errorf("%s has an edit of message %d that is not within it", path, message)
		}
		if made.edits[message] == nil {
			made.numbers = append(made.numbers, message)
		}
		made.edits[message] = append(made.edits[message], edit{number, offset, data[:size]})
		data = data[size:]
	}
	if len(made.numbers) == 0 {
		return nil, nil
	}
	return made, nil
}

// count is how many edits there are; none where nothing is edited.
func (e *edited) count() (edits int) {
	if e != nil {
		for _, own := range e.edits {
			edits += len(own)
		}
	}
	return edits
}

// drawMessage draws a message that has edits.
func (e *edited) drawMessage() int { return e.numbers[place.below(len(e.numbers))] }

// draw draws edits of a message, which has some, and of a few others; of this message other ones than are in
// force in unlike.
func (e *edited) draw(message int, unlike forced) forced {
	drawn := forced{}
	for n := range 1 + othersChanged {
		each := message
		if n > 0 {
			each = e.drawMessage()
		}
		own := make([]bool, len(e.edits[each]))
		for left := 1 + place.below(e.most); left > 0; left-- {
			which := place.below(len(own))
			if e.most == 1 && which%2 == e.odd && len(own) > 1 { // that one is spared
				which += 1 - 2*min(which, 1)
			}
			own[which] = true
		}
		drawn[each] = own
	}
	if slices.Equal(unlike[message], drawn[message]) {
		delete(drawn, message)
	}
	return drawn
}

// set puts these in force from now on; it returns the messages that have others than before.
func (e *edited) set(next forced) []int {
	var affected []int
	for message := range e.forced {
		affected = append(affected, message)
	}
	for message := range next {
		affected = append(affected, message)
	}
	e.forced = next
	slices.Sort(affected)
	return slices.Compact(affected)
}

// now are the canonical bytes of a message with the edits that are in force.
func (e *edited) now(message int) []byte {
	whole := slices.Clone(e.messages[message])
	for n, isForced := range e.forced[message] {
		if each := e.edits[message][n]; isForced {
			copy(whole[each.offset:], each.bytes)
		}
	}
	return whole
}

// numbersOf are those of the edits of a message that are in force.
func (e *edited) numbersOf(message int) []uint32 {
	var found []uint32
	for n, isForced := range e.forced[message] {
		if isForced {
			found = append(found, e.edits[message][n].number)
		}
	}
	return found
}

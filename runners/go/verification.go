package serbench

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unsafe"
)

// encode serializes every message into --out.
func (r *runner) encode(command arguments) error {
	memory, err := parseMemory(command.either("memory", "reuse"))
	if err != nil {
		return err
	}
	out, err := outOf(command)
	if err != nil {
		return err
	}
	encoding := r.of.encoding(memory)
	size := int64(0)
	for _, root := range r.operations.inputs.roots {
		encoded, err := encoding.serialize(root)
		if err != nil {
			return err
		}
		size += int64(len(encoded))
		if err := out.write(encoded); err != nil {
			return err
		}
	}
	r.events.say(done{"encoded", len(r.operations.inputs.roots), &size})
	return out.close()
}

// decode deserializes every message of --encoded and writes its canonical bytes to --out.
func (r *runner) decode(command arguments) error {
	memory, err := parseMemory(command.either("memory", "reuse"))
	if err != nil {
		return err
	}
	operation := command.either("operation", "decode")
	if operation != "decode" && operation != "decode_fast" {
		return fmt.Errorf("found operation '%s', expected decode or decode_fast", operation)
	}
	messages, guard, err := encodedOf(command)
	if err != nil {
		return err
	}
	out, err := outOf(command)
	if err != nil {
		return err
	}
	decoding := r.of.decoding(memory)
	var canonical []byte
	for _, message := range messages {
		root, err := decoding.deserialize(guard.hold(message), operation == "decode_fast")
		if err == nil {
			canonical, err = r.of.domain.appendTo(canonical[:0], root)
		}
		if err == nil {
			err = out.write(canonical)
		}
		if err != nil {
			return err
		}
	}
	r.events.say(done{"decoded", len(messages), nil})
	return out.close()
}

// relay decodes every message of --encoded, and encodes what the library made of it into --out.
func (r *runner) relay(command arguments) error {
	if !r.of.relays {
		return errors.New("its view cannot be encoded again")
	}
	memory, err := parseMemory(command.either("memory", "reuse"))
	if err != nil {
		return err
	}
	messages, guard, err := encodedOf(command)
	if err != nil {
		return err
	}
	out, err := outOf(command)
	if err != nil {
		return err
	}
	decoding, encoding := r.of.decoding(memory), r.of.encoding(memory)
	size := int64(0)
	for _, message := range messages {
		view, err := decoding.decode(guard.hold(message), false)
		if err != nil {
			return err
		}
		encoded, err := encoding.encode(view)
		if err != nil {
			return err
		}
		size += int64(len(encoded))
		if err := out.write(encoded); err != nil {
			return err
		}
	}
	r.events.say(done{"relayed", len(messages), &size})
	return out.close()
}

// outOf creates the file of --out.
func outOf(command arguments) (*messageWriter, error) {
	path, err := command.get("out")
	if err != nil {
		return nil, err
	}
	return createMessages(path)
}

// encodedOf reads the messages of --encoded, and gives memory for the longest.
func encodedOf(command arguments) ([][]byte, *guard, error) {
	path, err := command.get("encoded")
	if err != nil {
		return nil, nil, err
	}
	messages, err := openMessages(path)
	if err != nil {
		return nil, nil, err
	}
	most := 0
	for _, message := range messages {
		most = max(most, len(message))
	}
	guard, err := newGuard(most)
	return messages, guard, err
}

// leastBlock is how many bytes of entries a map has at least for each byte by which its encodings differ.
const leastBlock = 200

// nearlyAsLong says whether two encodings of a message are as long but for the lengths of blocks: Go goes
// over a map in another order each time, and who writes a hundred entries at a time, with the bytes that they
// take before them (Avro), has other entries in each of these blocks.
func nearlyAsLong(one, other []byte) bool {
	difference := max(len(one)-len(other), len(other)-len(one))
	return difference*leastBlock <= min(len(one), len(other))
}

// check looks for what can only be seen inside one process: that outputs are not cached, and that traverse
// and walk read the message; only for the latter where the bytes are another program's.
func (r *runner) check(command arguments) error {
	if err := r.give(command); err != nil {
		return err
	}
	if r.operations.inputs.given == nil {
		if err := r.checkEncoding(); err != nil {
			return err
		}
	}
	if err := r.checkReading(); err != nil {
		return err
	}
	r.events.say(done{"checked", len(r.canonical), nil})
	return nil
}

func (r *runner) checkEncoding() error {
	encoding := r.of.encoding(reuse)
	roots := r.operations.inputs.roots
	for n := 1; n < len(roots); n++ {
		if bytes.Equal(r.canonical[n-1], r.canonical[n]) {
			continue
		}
		var encoded [3][]byte
		for k, message := range []int{n - 1, n, n - 1} {
			made, err := encoding.serialize(roots[message])
			if err != nil {
				return err
			}
			encoded[k] = slices.Clone(made)
		}
		if bytes.Equal(encoded[0], encoded[1]) {
			return fmt.Errorf("messages %d and %d differ, but were encoded to the same bytes", n-1, n)
		}
		if !nearlyAsLong(encoded[0], encoded[2]) {
			return fmt.Errorf("message %d was encoded to %d bytes and then to %d", n-1, len(encoded[0]),
				len(encoded[2]))
		}
	}
	return nil
}

func (r *runner) checkReading() error {
	if !r.of.traversesItself && !r.of.walksItself {
		return nil
	}
	if err := r.operations.inputs.prepare(fromViews); err != nil {
		return err
	}
	decoding := r.of.decoding(reuse)
	for n, view := range r.operations.inputs.views {
		root, err := decoding.extract(view) // not the root before: a lossy codec may have rounded it
		if err != nil {
			return err
		}
		if r.of.traversesItself {
			if err := requireEqual("traverse", n, decoding.side.traverse(view), r.of.domain.sum(root)); err != nil {
				return err
			}
		}
		if r.of.walksItself && r.of.domain.walk != nil {
			if err := requireEqual("walk", n, decoding.side.walk(view), r.of.domain.walk(root)); err != nil {
				return err
			}
		}
	}
	return nil
}

func requireEqual(operation string, message int, found, expected uint64) error {
	if found == expected {
		return nil
	}
	return fmt.Errorf("%s of message %d gives %d, expected %d: it does not read what the message holds",
		operation, message, found, expected)
}

// accept deserializes a message under fresh.
func (r *runner) accept(message []byte) error {
	root, err := r.of.decoding(fresh).deserialize(message, false)
	if err != nil {
		return err
	}
	return r.use(root)
}

// use looks at all of a domain object: a value that is none, of an enum, say, is found by who uses it.
func (r *runner) use(root unsafe.Pointer) error {
	_, err := r.of.domain.appendTo(nil, root)
	return err
}

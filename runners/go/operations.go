package serbench

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

// pass does an operation with every message.
type pass func() error

// work is an operation as passes over what it starts from, and how to look at what a pass left of its last
// message.
type work struct {
	pass  pass
	input input
	// sum gives the sum that the operation gives; where it is nil, encoded gives the bytes that it encoded; and
	// where that is nil, left appends the canonical bytes of the message.
	sum     func() uint64
	walks   bool // the sum is of a walk
	encoded func() ([]byte, error)
	left    func(out []byte) ([]byte, error)
	// destination is the domain object that is decoded into each time; nil where it is made anew, or is none.
	destination func() unsafe.Pointer
}

// found is what a pass left of its last message, and what kind of bytes that is.
func (w *work) found() (byte, []byte, error) {
	if w.sum != nil {
		return leftSum, binary.LittleEndian.AppendUint64(nil, w.sum()), nil
	}
	if w.encoded != nil {
		bytes, err := w.encoded()
		return leftEncoded, bytes, err
	}
	bytes, err := w.left(nil)
	return leftCanonical, bytes, err
}

// operations are those of one adapter over one dataset.
type operations struct {
	of       *table
	inputs   inputs
	watching *watching // nil where values do not change
	kept     kept
}

func newOperations(of *table) *operations { return &operations{of: of, inputs: inputs{of: of}} }

// offered are the names of ./serbench list operations that a codec has for a workload.
func (t *table) offered() []string {
	names := []string{"decode", "deserialize", "encode", "serialize", "roundtrip", "native_roundtrip"}
	if t.builds && !t.isFloor {
		names = append(names, "build")
	}
	if t.isFast {
		names = append(names, "decode_fast")
	}
	if t.extracts && !t.isFloor {
		names = append(names, "extract")
	}
	if t.traversesItself || !t.extracts {
		names = append(names, "traverse", "decode_traverse", "read", "cycle")
		if t.isFast {
			names = append(names, "decode_fast_traverse")
		}
	}
	if t.domain.walk != nil && (t.walksItself || !t.extracts) {
		names = append(names, "walk", "decode_walk")
		if t.isFast {
			names = append(names, "decode_fast_walk")
		}
	}
	return names
}

// prepare makes ready what an operation starts from, and gives it.
func (o *operations) prepare(operation string, memory memory) (work, error) {
	if !slices.Contains(o.of.offered(), operation) {
		return work{}, fmt.Errorf("this codec has no operation %s", operation)
	}
	// Before what it allocates itself, encoders and their buffers for one.
	place.leaveGap(1)
	place.moveSmall()
	if o.of.isFloor {
		whole := map[string]string{
			"serialize": "encode", "deserialize": "decode", "roundtrip": "native_roundtrip",
		}
		if part := whole[operation]; part != "" {
			operation = part
		}
	}
	var made work
	switch operation {
	case "serialize", "build", "encode":
		made = o.encodingWork(operation, memory)
	case "traverse", "walk", "extract":
		made = o.readingWork(operation, memory)
	case "roundtrip", "native_roundtrip", "cycle":
		made = o.roundWork(operation, memory)
	default:
		made = o.decodingWork(operation, memory)
	}
	if made.destination == nil {
		made.destination = func() unsafe.Pointer { return nil }
	}
	return made, o.inputs.prepare(made.input)
}

// kept lets nobody say that what a pass made is not used. Operations of each thread have their own, and no
// other data of another thread lie in its cache lines.
type kept struct {
	_      [128]byte
	bytes  []byte
	object unsafe.Pointer
	sum    uint64
	_      [128]byte
}

// natives are where operations begin that encode native objects.
func (o *operations) natives() (input, func() []unsafe.Pointer) {
	if o.of.builds {
		return fromNatives, func() []unsafe.Pointer { return o.inputs.natives }
	}
	return fromRoots, func() []unsafe.Pointer { return o.inputs.roots }
}

// encodingWork are the operations that an encoder alone does.
func (o *operations) encodingWork(operation string, memory memory) work {
	encoding := o.of.encoding(memory)
	var last []byte
	made := work{encoded: func() ([]byte, error) { return last, nil }}
	switch operation {
	case "serialize":
		made.pass = func() error {
			err := o.inputs.each(func(message int) (err error) {
				last, err = encoding.serialize(o.inputs.roots[message])
				return err
			})
			o.kept.bytes = last
			return err
		}
	case "build":
		made.pass = func() error {
			return o.inputs.each(func(message int) (err error) {
				o.kept.object, err = encoding.build(o.inputs.roots[message])
				return err
			})
		}
		made.encoded = func() ([]byte, error) { return o.of.encoding(fresh).encode(encoding.native.object) }
	default:
		from, natives := o.natives()
		made.input = from
		made.pass = func() error {
			inputs := natives()
			err := o.inputs.each(func(message int) (err error) {
				last, err = encoding.encode(inputs[message])
				return err
			})
			o.kept.bytes = last
			return err
		}
	}
	return made
}

// decodingWork are the operations that a decoder does from bytes.
func (o *operations) decodingWork(operation string, memory memory) work {
	decoding := o.of.decoding(memory)
	isFast := strings.HasPrefix(operation, "decode_fast")
	made := work{input: fromBytes}
	switch {
	case operation == "deserialize":
		made.pass = func() error {
			return o.inputs.each(func(message int) (err error) {
				o.kept.object, err = decoding.deserialize(o.inputs.encoded[message], false)
				return err
			})
		}
		made.left = o.leftRoot(decoding)
		made.destination = decoding.root.kept
	case operation == "read", strings.HasSuffix(operation, "_traverse"), strings.HasSuffix(operation, "_walk"):
		made.walks = strings.HasSuffix(operation, "_walk")
		var sum uint64
		made.pass = func() error {
			err := o.inputs.each(func(message int) (err error) {
				sum, err = decoding.decodeSum(o.inputs.encoded[message], isFast, made.walks)
				return err
			})
			o.kept.sum = sum
			return err
		}
		made.sum = func() uint64 { return sum }
		made.destination = o.keptRoot(decoding)
	default:
		made.pass = func() error {
			return o.inputs.each(func(message int) (err error) {
				o.kept.object, err = decoding.decode(o.inputs.encoded[message], isFast)
				return err
			})
		}
		made.left = o.leftView(decoding)
		made.destination = o.keptRoot(decoding)
	}
	return made
}

// readingWork are the operations that a decoder does from what was decoded before.
func (o *operations) readingWork(operation string, memory memory) work {
	decoding := o.of.decoding(memory)
	made := work{input: fromViews}
	if operation == "extract" {
		made.pass = func() error {
			return o.inputs.each(func(message int) (err error) {
				o.kept.object, err = decoding.extract(o.inputs.views[message])
				return err
			})
		}
		made.left = o.leftRoot(decoding)
		made.destination = decoding.root.kept
		return made
	}
	made.walks = operation == "walk"
	var sum uint64
	made.pass = func() error {
		err := o.inputs.each(func(message int) error {
			sum = decoding.sum(decoding.next(), o.inputs.views[message], made.walks)
			return nil
		})
		o.kept.sum = sum
		return err
	}
	made.sum = func() uint64 { return sum }
	return made
}

// roundWork are the operations that encode and then decode what was encoded.
func (o *operations) roundWork(operation string, memory memory) work {
	encoding, decoding := o.of.encoding(memory), o.of.decoding(memory)
	var made work
	switch operation {
	case "native_roundtrip":
		from, natives := o.natives()
		made.input = from
		made.pass = func() error {
			inputs := natives()
			return o.inputs.each(func(message int) error {
				bytes, err := encoding.encode(inputs[message])
				if err == nil {
					o.kept.object, err = decoding.decode(bytes, false)
				}
				return err
			})
		}
		made.left = o.leftView(decoding)
		made.destination = o.keptRoot(decoding)
	case "roundtrip":
		made.pass = func() error {
			return o.inputs.each(func(message int) error {
				bytes, err := encoding.serialize(o.inputs.roots[message])
				if err == nil {
					o.kept.object, err = decoding.deserialize(bytes, false)
				}
				return err
			})
		}
		made.left = o.leftRoot(decoding)
		made.destination = decoding.root.kept
	default: // cycle
		var sum uint64
		made.pass = func() error {
			err := o.inputs.each(func(message int) error {
				bytes, err := encoding.serialize(o.inputs.roots[message])
				if err == nil {
					sum, err = decoding.decodeSum(bytes, false, false)
				}
				return err
			})
			o.kept.sum = sum
			return err
		}
		made.sum = func() uint64 { return sum }
		made.destination = o.keptRoot(decoding)
	}
	return made
}

// keptRoot gives the domain object that is decoded into each time, where domain objects are decoded.
func (o *operations) keptRoot(decoding *decoding) func() unsafe.Pointer {
	if o.of.extracts {
		return nil
	}
	return decoding.root.kept
}

// leftRoot appends the canonical bytes of the domain object that was filled last.
func (o *operations) leftRoot(decoding *decoding) func(out []byte) ([]byte, error) {
	return func(out []byte) ([]byte, error) { return o.of.domain.appendTo(out, decoding.root.object) }
}

// leftView appends the canonical bytes of what was decoded last.
func (o *operations) leftView(decoding *decoding) func(out []byte) ([]byte, error) {
	if !o.of.extracts {
		return o.leftRoot(decoding)
	}
	return func(out []byte) ([]byte, error) {
		root, err := o.of.decoding(fresh).extract(decoding.view.object)
		if err != nil {
			return nil, err
		}
		return o.of.domain.appendTo(out, root)
	}
}

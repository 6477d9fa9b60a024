package serbench

import (
	"io"
	"os"
	"unsafe"
)

// Least is the least program that uses an adapter, for the metric shipped: one message comes in as bytes,
// becomes a domain object, and goes out as bytes.
func Least[Root any](adapter Adapter[Root]) {
	bytes, err := io.ReadAll(os.Stdin)
	if err == nil {
		bytes, err = copied(bytes, adapter)
	}
	if err == nil {
		_, err = os.Stdout.Write(bytes)
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

func copied[Root any](bytes []byte, adapter Adapter[Root]) ([]byte, error) {
	reads, writes, root := adapter.Decoder, adapter.Encoder, unsafe.Pointer(new(Root))
	decoder, view := reads.start(), root
	if reads.newView != nil {
		view = reads.newView()
	}
	if err := decoder.decode(bytes, view); err != nil {
		return nil, err
	}
	if view != root {
		if err := decoder.extract(view, root); err != nil {
			return nil, err
		}
	}
	encoder, native := writes.start(), root
	if writes.newNative != nil {
		native = writes.newNative()
		if err := encoder.build(root, native); err != nil {
			return nil, err
		}
	}
	return encoder.encode(native)
}

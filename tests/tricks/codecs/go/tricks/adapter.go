// Package adapter has codecs that want to look good: each does its work, in the canonical encoding, and has
// one trick besides. Verification has to catch every one of them (tests/test_tricks.py); none is of any use.
package adapter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"cell/domain"
	"serbench"
)

func write(root *domain.Root) ([]byte, error) { return domain.Canonical.Append(nil, root) }

func read(from []byte, root *domain.Root) error { return domain.Canonical.Parse(from, root) }

type encode func(root *domain.Root) ([]byte, error)

func (e encode) Encode(root *domain.Root) ([]byte, error) { return e(root) }

type decode func(from []byte, root *domain.Root) error

func (d decode) Decode(from []byte, root *domain.Root) error { return d(from, root) }

func of(start func() encode, reads func() decode) serbench.Adapter[domain.Root] {
	return serbench.Adapter[domain.Root]{
		Encoder: serbench.Encodes[domain.Root](start),
		Decoder: serbench.Decodes[domain.Root](reads),
	}
}

func honestEncode() encode { return write }

func honestDecode() decode { return read }

// ByAddress gives the output that it remembers of the message at this address.
var ByAddress = of(func() encode { return remembering(map[*domain.Root][]byte{}, 0) }, honestDecode)

var known = map[*domain.Root][]byte{}

// InStatic remembers outputs for as long as the process lives.
var InStatic = of(func() encode { return remembering(known, 0) }, honestDecode)

// HonestAtFirst remembers outputs from its 501st call on.
var HonestAtFirst = of(func() encode { return remembering(map[*domain.Root][]byte{}, 500) }, honestDecode)

func remembering(outputs map[*domain.Root][]byte, honestCalls int) encode {
	calls := 0
	return func(root *domain.Root) ([]byte, error) {
		if calls++; calls <= honestCalls {
			return write(root)
		}
		if outputs[root] == nil {
			encoded, err := write(root)
			if err != nil {
				return nil, err
			}
			outputs[root] = encoded
		}
		return outputs[root], nil
	}
}

// SameBytes leaves the domain object alone when the bytes are those of before.
var SameBytes = of(honestEncode, func() decode {
	var before []byte
	var object *domain.Root
	return func(from []byte, root *domain.Root) error {
		if object == root && bytes.Equal(before, from) {
			return nil
		}
		before, object = append(before[:0], from...), root
		return read(from, root)
	}
})

// Beside writes 8 bytes, and the others to a file.
var Beside = of(func() encode {
	return func(root *domain.Root) ([]byte, error) {
		encoded, err := write(root)
		if err != nil {
			return nil, err
		}
		number := binary.LittleEndian.AppendUint64(nil, serbench.SumBytes(encoded)<<20|uint64(len(encoded)))
		return number, os.WriteFile(beside(number), encoded, 0o600)
	}
}, func() decode {
	return func(from []byte, root *domain.Root) error {
		encoded, err := os.ReadFile(beside(from))
		if err != nil {
			return err
		}
		return read(encoded, root)
	}
})

func beside(number []byte) string { return fmt.Sprintf("%s/serbench-trick-%x", os.TempDir(), number) }

// ReadsPast reads 64 bytes behind its input.
var ReadsPast = of(honestEncode, func() decode {
	return func(from []byte, root *domain.Root) error {
		behind := unsafe.Slice(unsafe.SliceData(from), len(from)+64)
		peeked += serbench.SumBytes(behind)
		return read(from, root)
	}
})

var peeked uint64

// Threads leaves a goroutine at work.
var Threads = of(func() encode {
	return func(root *domain.Root) ([]byte, error) {
		begin.Do(func() { go work() })
		return write(root)
	}
}, honestDecode)

var begin sync.Once

var worked uint64

func work() {
	for {
		worked++
	}
}

// Leaks forgets 256 bytes with each call.
var Leaks = of(func() encode {
	return func(root *domain.Root) ([]byte, error) {
		last = &forgotten{before: last}
		return write(root)
	}
}, honestDecode)

type forgotten struct {
	before *forgotten
	_      [248]byte
}

var last *forgotten

// Finishes sees to something once there was no call for a while, as libraries do that hold connections.
var Finishes = of(func() encode {
	return func(root *domain.Root) ([]byte, error) {
		finishing.Do(func() { go finish() })
		calls.Add(1)
		return write(root)
	}
}, honestDecode)

var (
	finishing sync.Once
	calls     atomic.Uint64
)

func finish() {
	for seen, finished := uint64(0), uint64(0); ; time.Sleep(time.Millisecond) {
		now := calls.Load()
		if now == seen && seen != finished {
			for begin := time.Now(); time.Since(begin) < 6*time.Millisecond; {
			}
			finished = seen
		}
		seen = now
	}
}

// Prints prints samples of its own.
var Prints = of(func() encode {
	return func(root *domain.Root) ([]byte, error) {
		fmt.Println(`{"event":"sample","operation":"encode","memory":"reuse","iterations":1,"elapsed_ns":1}`)
		return write(root)
	}
}, honestDecode)

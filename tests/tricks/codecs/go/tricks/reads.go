package adapter

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"cell/domain"
	"serbench"
)

const tail = 8

// Reads has the bytes as its view, from which each call of Traverse reads all values; or, where
// SERBENCH_TRICK says TRIGGER/TRICK, it gives the sum by the trick (tests/test_trick_reads.py), once the
// trigger has gone off.
var Reads = serbench.Adapter[domain.Root]{
	Encoder: serbench.Encodes[domain.Root](func() encode {
		return func(root *domain.Root) ([]byte, error) {
			encoded, err := write(root)
			if err == nil && hand == "beside" {
				err = os.WriteFile(besides(encoded), strconv.AppendUint(nil, domain.Canonical.Sum(root), 10), 0o600)
			}
			if hand == "tail" {
				encoded = binary.LittleEndian.AppendUint64(encoded, domain.Canonical.Sum(root))
			}
			return encoded, err
		}
	}),
	Decoder: serbench.Views[domain.Root, []byte](func() viewer { return viewer{} }),
}

// besides is the file that has the sum of a message beside its bytes.
func besides(encoded []byte) string {
	return fmt.Sprintf("%s/serbench-trick-%x", os.TempDir(), sha256.Sum256(encoded))
}

var (
	sums      = map[any]uint64{}
	firstSeen []byte
	contents  = map[*byte]*content{}
)

type content struct {
	bytes []byte
	sum   uint64
}

type viewer struct{}

func (viewer) Decode(from []byte, view *[]byte) error {
	*view = from
	return nil
}

func (viewer) Extract(view *[]byte, root *domain.Root) error {
	if hand == "tail" {
		return read((*view)[:len(*view)-tail], root)
	}
	return read(*view, root)
}

func (v viewer) Traverse(view *[]byte) uint64 {
	from := *view
	if !cheats(hand) {
		return v.sum(from)
	}
	switch hand {
	case "address":
		return v.remembered(unsafe.SliceData(from), from)
	case "count":
		return v.remembered(len(from), from)
	case "content":
		at := unsafe.SliceData(from)
		if known := contents[at]; known == nil || !bytes.Equal(known.bytes, from) {
			contents[at] = &content{bytes.Clone(from), v.sum(from)}
		}
		return contents[at].sum
	case "fewer":
		if firstSeen == nil {
			firstSeen = append(firstSeen, from...)
		}
		half := len(from) / 2
		return v.sum(append(append([]byte{}, from[:half]...), firstSeen[half:]...))
	case "beside":
		text, _ := os.ReadFile(besides(from))
		sum, _ := strconv.ParseUint(string(text), 10, 64)
		return sum
	case "tail":
		return binary.LittleEndian.Uint64(from[len(from)-tail:])
	}
	return 0
}

func (v viewer) sum(from []byte) uint64 {
	var root domain.Root
	if err := v.Extract(&from, &root); err != nil {
		panic(err)
	}
	return domain.Canonical.Sum(&root)
}

func (v viewer) remembered(key any, from []byte) uint64 {
	if _, has := sums[key]; !has {
		sums[key] = v.sum(from)
	}
	return sums[key]
}

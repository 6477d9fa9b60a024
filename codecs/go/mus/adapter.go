// Package adapter uses mus-go: a serializer for each type, composed of those of the library.
package adapter

import (
	"slices"

	"github.com/mus-format/mus-go"

	"cell/domain"
	"serbench"
)

var (
	// Varint has integers as varints.
	Varint = adapterOf(varintRoot{})
	// Raw has numbers at their width.
	Raw = adapterOf(rawRoot{})
	// Unsafe reads and writes numbers without shifts, and strings where they lie in the message.
	Unsafe = adapterOf(unsafeRoot{})
)

func adapterOf(by mus.Serializer[domain.Root]) serbench.Adapter[domain.Root] {
	return serbench.Functions[domain.Root]{
		Append: func(buffer []byte, root *domain.Root) ([]byte, error) {
			size := by.Size(*root)
			buffer = slices.Grow(buffer, size)[:size]
			return buffer[:by.Marshal(*root, buffer)], nil
		},
		Unmarshal: func(bytes []byte, root *domain.Root) (err error) {
			var read int
			*root, read, err = by.Unmarshal(bytes)
			if err == nil && read != len(bytes) {
				return errTrailing
			}
			return err
		},
	}.Adapter()
}

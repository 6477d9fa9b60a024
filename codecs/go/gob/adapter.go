// Package adapter uses gob of Go's standard library.
package adapter

import (
	"bytes"
	"encoding/gob"

	"cell/domain"
	"serbench"
)

// Alone writes each message with its types, as one that is read alone needs them: an encoder sends a type
// once, so each message has an encoder and a decoder of its own. The buffer is kept.
var Alone = serbench.Functions[domain.Root]{
	Append: func(buffer []byte, root *domain.Root) ([]byte, error) {
		to := bytes.NewBuffer(buffer)
		err := gob.NewEncoder(to).Encode(root)
		return to.Bytes(), err
	},
	Unmarshal: func(encoded []byte, root *domain.Root) error {
		return gob.NewDecoder(bytes.NewReader(encoded)).Decode(root)
	},
}.Adapter()

// Package adapter uses the package json of segmentio/encoding.
package adapter

import (
	"github.com/segmentio/encoding/json"

	"cell/domain"
	"serbench"
)

// JSON marshals into a slice of its own, which is how the package is mostly used.
var JSON = serbench.Functions[domain.Root]{
	Marshal:   func(root *domain.Root) ([]byte, error) { return json.Marshal(root) },
	Unmarshal: func(bytes []byte, root *domain.Root) error { return json.Unmarshal(bytes, root) },
}.Adapter()

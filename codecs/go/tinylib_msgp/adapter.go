// Package adapter uses tinylib/msgp, which generates methods of the domain types.
package adapter

//go:generate msgp -file ../domain/domain.go -o ../domain/methods.go -io=false -tests=false

import (
	"cell/domain"
	"serbench"
)

// Append appends to a kept buffer.
var Append = serbench.Functions[domain.Root]{
	Append: func(buffer []byte, root *domain.Root) ([]byte, error) { return root.MarshalMsg(buffer) },
	Unmarshal: func(bytes []byte, root *domain.Root) error {
		_, err := root.UnmarshalMsg(bytes)
		return err
	},
}.Adapter()

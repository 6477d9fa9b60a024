// Package adapter uses sonic.
package adapter

import (
	"github.com/bytedance/sonic"

	"cell/domain"
	"serbench"
)

// Default is the configuration of sonic.Marshal and sonic.Unmarshal.
var Default = of(sonic.ConfigDefault)

// Std does what encoding/json does: it escapes HTML, sorts keys and checks text.
var Std = of(sonic.ConfigStd)

func of(api sonic.API) serbench.Adapter[domain.Root] {
	return serbench.Functions[domain.Root]{
		Marshal:   func(root *domain.Root) ([]byte, error) { return api.Marshal(root) },
		Unmarshal: func(bytes []byte, root *domain.Root) error { return api.Unmarshal(bytes, root) },
	}.Adapter()
}

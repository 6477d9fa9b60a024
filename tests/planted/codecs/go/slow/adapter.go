// Package adapter lingers at floats when it writes, and at nothing when it reads.
package adapter

import (
	"reflect"
	"time"

	"cell/domain"
	"serbench"
)

const lingers = 30 * time.Microsecond

// Slow finds floats by reflection, since there are none where the field was dropped.
var Slow = serbench.Functions[domain.Root]{
	Append: func(buffer []byte, root *domain.Root) ([]byte, error) {
		linger(reflect.ValueOf(root).Elem())
		return domain.Canonical.Append(buffer, root)
	},
	Unmarshal: domain.Canonical.Parse,
}.Adapter()

func linger(value reflect.Value) {
	switch value.Kind() {
	case reflect.Float64:
		if value.Float() == 0 {
			return
		}
		for begin := time.Now(); time.Since(begin) < lingers; {
		}
	case reflect.Struct:
		for n := range value.NumField() {
			linger(value.Field(n))
		}
	case reflect.Slice:
		for n := range value.Len() {
			linger(value.Index(n))
		}
	}
}

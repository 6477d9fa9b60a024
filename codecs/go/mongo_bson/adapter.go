// Package adapter uses BSON of MongoDB's driver.
package adapter

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"cell/domain"
	"serbench"
)

// Marshal makes a slice of its own each time.
var Marshal = serbench.Functions[domain.Root]{
	Marshal:   func(root *domain.Root) ([]byte, error) { return bson.Marshal(root) },
	Unmarshal: func(bytes []byte, root *domain.Root) error { return bson.Unmarshal(bytes, root) },
}.Adapter()

//go:build counting

// Counts what the program and its libraries ask of Go's allocator, and says it when the program ends: what
// `go test -benchmem` calls allocs/op and B/op, of a whole process
// (docs/decisions/028-instructions-and-allocations.md). What stays on the stack is not among it.

package serbench

import "runtime"

func init() { afterword = sayAllocated }

type allocated struct {
	Event          string `json:"event"`
	Allocations    uint64 `json:"allocations"`
	AllocatedBytes uint64 `json:"allocated_bytes"`
}

func sayAllocated(to *events) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	to.say(allocated{"allocated", memory.Mallocs, memory.TotalAlloc})
}

package serbench

import (
	"runtime"
	"runtime/metrics"
)

// garbage is what passes allocate, and what collecting it takes.
type garbage struct {
	allocatedBytes int64
	collections    int64
	collectingNs   int64 // processor time; the runtime adds it up at the end of each collection
}

var collected = []metrics.Sample{
	{Name: "/cpu/classes/gc/total:cpu-seconds"},
}

// readGarbage stops the world for some microseconds, and so is never timed.
func readGarbage() garbage {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	metrics.Read(collected)
	return garbage{
		allocatedBytes: int64(memory.TotalAlloc),
		collections:    int64(memory.NumGC),
		collectingNs:   int64(collected[0].Value.Float64() * 1e9),
	}
}

var found = []metrics.Sample{{Name: "/gc/heap/live:bytes"}}

// alive is how many bytes are in use, as a collection finds while nothing else runs. One that passes go on
// beside counts what they make meanwhile as alive, which can be a megabyte.
func alive() int64 {
	runtime.GC()
	metrics.Read(found)
	return int64(found[0].Value.Uint64())
}

func (g garbage) since(before garbage) garbage {
	return garbage{
		g.allocatedBytes - before.allocatedBytes,
		g.collections - before.collections,
		max(g.collectingNs-before.collectingNs, 0),
	}
}

func (g garbage) plus(other garbage) garbage {
	return garbage{
		g.allocatedBytes + other.allocatedBytes,
		g.collections + other.collections,
		g.collectingNs + other.collectingNs,
	}
}

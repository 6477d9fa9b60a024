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
	// grownBytes is by how much more was alive at the last collection, or less: what was made while it went on
	// is alive to it. Memory that is resident grows and shrinks with what is not yet collected.
	grownBytes int64
}

var collected = []metrics.Sample{
	{Name: "/cpu/classes/gc/total:cpu-seconds"},
	{Name: "/gc/heap/live:bytes"},
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
		grownBytes:     int64(collected[1].Value.Uint64()),
	}
}

// alive is how many bytes a collection finds in use while nothing else runs.
func alive() int64 {
	runtime.GC()
	return readGarbage().grownBytes
}

func (g garbage) since(before garbage) garbage {
	return garbage{
		g.allocatedBytes - before.allocatedBytes,
		g.collections - before.collections,
		max(g.collectingNs-before.collectingNs, 0),
		g.grownBytes - before.grownBytes,
	}
}

func (g garbage) plus(other garbage) garbage {
	return garbage{
		g.allocatedBytes + other.allocatedBytes,
		g.collections + other.collections,
		g.collectingNs + other.collectingNs,
		g.grownBytes + other.grownBytes,
	}
}

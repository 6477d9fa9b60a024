//go:build !linux

package serbench

import (
	"slices"
	"syscall"
	"time"
)

var started = time.Now()

func nowNs() int64 { return int64(time.Since(started)) }

func ownNs() int64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return used.Utime.Nano() + used.Stime.Nano()
}

func keepOutput() (events, others int) { return syscall.Stdout, -1 }

func readAt(int, []byte) int { return 0 }

func limitMemory(int64) {}

type guard struct{}

func newGuard(int) (*guard, error) { return &guard{}, nil }

func (g *guard) hold(message []byte) []byte { return slices.Clone(message) }

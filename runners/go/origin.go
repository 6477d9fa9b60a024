package serbench

import (
	"errors"
	"regexp"
	"runtime"
)

const (
	byLibrary = "library"
	byAdapter = "adapter"
)

var (
	// ours are the functions of the runner, of adapters and of generated conversions and domain types; what
	// the compilers of IDLs generate is in packages of its own.
	ours = regexp.MustCompile(`^(serbench|main|cell/adapter|cell/domain)\.`)
	// standard are the functions of Go's own packages, but for those that are codecs.
	standard = regexp.MustCompile(`^[^.]*\.[^/]*$`)
	codecs   = regexp.MustCompile(`^(cell/|encoding/(gob|json))`)
)

// originOf tells whose code an error is of: a Fault is the adapter's, a panic that of the function in which
// it began, and any other error the library's.
func originOf(err error) string {
	var panicked panicError
	if errors.As(err, &panicked) {
		return panicked.by
	}
	var fault Fault
	if errors.As(err, &fault) {
		return byAdapter
	}
	return byLibrary
}

// originOfPanic tells whose code began the panic that the caller has recovered; empty where no function of
// the stack tells.
func originOfPanic() string {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters[:])])
	begun := false
	for {
		frame, more := frames.Next()
		name := frame.Function
		switch {
		case !begun:
			begun = name == "runtime.gopanic"
		case ours.MatchString(name):
			return byAdapter
		case codecs.MatchString(name) || !standard.MatchString(name):
			return byLibrary
		}
		if !more {
			return ""
		}
	}
}

package adapter

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cell/domain"
)

// Chosen is honest; or, where SERBENCH_TRICK says TRIGGER/HAND, an encoder that hands out what it encoded
// first of the message at this address, or a decoder that leaves its destination alone, or puts there what it
// decoded first of the bytes at this address, once the trigger has gone off.
var Chosen = of(func() encode {
	return func(root *domain.Root) ([]byte, error) {
		if !cheats("encode") {
			return write(root)
		}
		if outputs[root] == nil {
			encoded, err := write(root)
			if err != nil {
				return nil, err
			}
			outputs[root] = encoded
		}
		return outputs[root], nil
	}
}, func() decode {
	return func(from []byte, root *domain.Root) error {
		if !cheats("decode") {
			written.from, written.to = nil, nil
			return read(from, root)
		}
		at := &from[0]
		if written.from == at && written.to == root {
			return nil
		}
		if firsts[at] == nil {
			first := new(domain.Root)
			if err := read(from, first); err != nil {
				return err
			}
			firsts[at] = first
		}
		written.from, written.to = at, root
		*root = *firsts[at]
		return nil
	}
})

var (
	outputs = map[*domain.Root][]byte{}
	firsts  = map[*byte]*domain.Root{}
	written struct {
		from *byte
		to   *domain.Root
	}
)

var trigger, hand, _ = strings.Cut(os.Getenv("SERBENCH_TRICK"), "/")

var begun = time.Now()

const (
	quickly = 100 * time.Microsecond
	many    = 200
)

var called struct {
	count, quick int
	last         time.Time
	isKnown      bool
}

// cheats says whether a hand cheats in this call, which is counted.
func cheats(which string) bool {
	if trigger == "" {
		return false
	}
	now := time.Now()
	called.count++
	if now.Sub(called.last) < quickly {
		called.quick++
	} else {
		called.quick = 0
	}
	called.last = now
	return (hand == which || hand == "both") && hasGoneOff(now)
}

func hasGoneOff(now time.Time) bool {
	switch trigger {
	case "always":
		return true
	case "measure":
		return slices.Contains(os.Args, "measure")
	case "succession":
		return called.quick > many
	case "after_50ms":
		return now.Sub(begun) > 50*time.Millisecond
	case "environment":
		return os.Getenv("SERBENCH_MARK") != ""
	case "parent":
		return once(func() bool {
			words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid()))
			return strings.Contains(string(words), "python")
		})
	case "files":
		return once(isWrittenDown)
	}
	after, err := strconv.Atoi(strings.TrimPrefix(trigger, "after_"))
	if err != nil {
		panic("found the trigger " + trigger)
	}
	return called.count > after
}

// once asks now and then until the answer is yes.
func once(ask func() bool) bool {
	if !called.isKnown && called.count%10 == 1 {
		called.isKnown = ask()
	}
	return called.isKnown
}

// isWrittenDown says whether this process has a file open that only one has whose passes are looked at.
func isWrittenDown() bool {
	files, _ := filepath.Glob("/proc/self/fd/*")
	return slices.ContainsFunc(files, func(file string) bool {
		to, _ := os.Readlink(file)
		return strings.HasSuffix(to, "left")
	})
}

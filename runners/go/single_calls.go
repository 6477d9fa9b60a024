package serbench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	defaultCalls     = 10_000
	defaultLongestNs = 1_000_000_000
	emptyCalls       = 4001
	callsVersion     = 1
)

var begun = time.Now()

// ticks is the time of the monotonic clock as the runtime reads it, without a system call: one before each
// short call would be most of its time. It is held to the system's by the time of all calls.
func ticks() int64 { return int64(time.Since(begun)) }

type called struct {
	Event        string           `json:"event"`
	Operation    string           `json:"operation"`
	Memory       string           `json:"memory"`
	Calls        int              `json:"calls"`
	Warmups      int              `json:"warmups"`
	ClockNs      uint64           `json:"clock_ns"`
	ResolutionNs int64            `json:"resolution_ns"`
	LoadingNs    int64            `json:"loading_ns"`
	PreparingNs  int64            `json:"preparing_ns"`
	ElapsedNs    int64            `json:"elapsed_ns"`
	WaitedNs     int64            `json:"waited_ns"`
	StolenNs     int64            `json:"stolen_ns"`
	Collections  map[string]int64 `json:"collections"`
	CollectingNs int64            `json:"collecting_ns"`
}

// calls times each single call of --cell, writes their nanoseconds into --out, and says how they were taken.
func (r *runner) calls(command arguments, loadingNs int64) error {
	cell, err1 := command.get("cell")
	out, err2 := command.get("out")
	count, err3 := command.number("calls", defaultCalls)
	longestNs, err4 := command.number("longest-ns", defaultLongestNs)
	warmupNs, err5 := command.number("warmup-ns", 0)
	only, err6 := command.number("message", -1)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return err
	}
	operation, policy, isWhole := strings.Cut(cell, ":")
	if !isWhole {
		return fmt.Errorf("found cell '%s', expected OPERATION:MEMORY", cell)
	}
	memory, err := parseMemory(policy)
	if err != nil {
		return err
	}
	start := nowNs()
	made, err := r.operations.prepare(operation, memory)
	if err != nil {
		return err
	}
	said := called{
		Event: "called", Operation: operation, Memory: policy, LoadingNs: loadingNs, PreparingNs: nowNs() - start,
	}
	order := r.drawnOrder(int(count), only)
	take := func(call int) { r.operations.inputs.takeAlone(order[call%len(order)]) }
	if warmupNs > 0 {
		runtime.GC() // garbage of the preparation is no garbage of a call
	}
	for start := nowNs(); warmupNs > 0 && nowNs()-start < warmupNs; said.Warmups++ {
		take(said.Warmups)
		if err := made.pass(); err != nil {
			return err
		}
	}
	garbage, before := readGarbage(), readUsage()
	times, err := timedCalls(made.pass, int(count), longestNs, take)
	after := readUsage()
	if err != nil {
		return err
	}
	used, collected := after.since(before), readGarbage().since(garbage)
	said.Calls, said.ElapsedNs = len(times), after.clockNs-before.clockNs
	said.WaitedNs, said.StolenNs = used.waitedNs, used.stolenNs
	said.Collections = map[string]int64{"concurrent": collected.collections}
	said.CollectingNs = collected.collectingNs
	said.ClockNs, said.ResolutionNs = clockCost(), clockResolution()
	if err := writeCalls(out, times); err != nil {
		return err
	}
	r.events.say(said)
	return nil
}

// drawnOrder is the message of each call, drawn before anything is timed: a draw takes longer than a short
// call.
func (r *runner) drawnOrder(count int, only int64) []int {
	messages := len(r.operations.inputs.roots)
	order := make([]int, max(count, 1))
	for n := range order {
		if only >= 0 {
			order[n] = int(only) % messages
		} else {
			order[n] = place.below(messages)
		}
	}
	return order
}

// timedCalls makes so many calls, or as many as take longestNs; take chooses the message of each by its
// number.
func timedCalls(call pass, count int, longestNs int64, take func(int)) ([]uint64, error) {
	times := make([]uint64, 0, count)
	begin := ticks()
	for len(times) < count {
		take(len(times))
		start := ticks()
		err := call()
		end := ticks()
		if err != nil {
			return nil, err
		}
		times = append(times, uint64(end-start))
		if end-begin > longestNs {
			break
		}
	}
	return times, nil
}

// clockCost is what the clock, the loop and the call of a pass take without any work: the median of many.
func clockCost() uint64 {
	times, _ := timedCalls(func() error { return nil }, emptyCalls, defaultLongestNs, func(int) {})
	slices.Sort(times)
	return times[len(times)/2]
}

// clockResolution is the least step of the clock.
func clockResolution() int64 {
	least, before := int64(math.MaxInt32), ticks()
	for range emptyCalls {
		now := ticks()
		if now > before {
			least = min(least, now-before)
		}
		before = now
	}
	return least
}

func writeCalls(path string, times []uint64) error {
	file := []byte("SERBCALL")
	file = binary.LittleEndian.AppendUint32(file, callsVersion)
	file = binary.LittleEndian.AppendUint32(file, 0)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(times)))
	for _, each := range times {
		file = binary.LittleEndian.AppendUint64(file, each)
	}
	return os.WriteFile(path, file, 0o600)
}

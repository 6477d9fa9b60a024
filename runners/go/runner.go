package serbench

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

const protocol = 1

// Cell is what a program was generated for.
type Cell struct {
	Codec, Workload, Schema string
}

const defaultSampleNs = 20_000_000

// gcPercent is what programs run with that say nothing else; GOGC of the environment changes nothing.
const gcPercent = 100

// ballast counts as alive and is never used, so that a collection begins when at least as much garbage has
// been made. With the least heap that Go has, of 4 MiB, one began every few messages of some 100 kB, and cost
// ten times what they did; programs have more.
var ballast []byte

const ballastBytes = 16 << 20

// Main is the measuring program (docs/protocol.md).
func Main[Root any](cell Cell, domain Domain[Root], adapter Adapter[Root]) {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(math.MaxInt64)
	ballast = make([]byte, ballastBytes)
	runner := &runner{cell: cell, of: tableOf(domain, adapter), events: newEvents()}
	begin := nowNs()
	if err := runner.run(os.Args[1+len(writerWords):]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		said := map[string]string{
			"event": "error", "message": shortened(err.Error()), "kind": kindOf(err), "by": originOf(err),
		}
		if found := (*suspicion)(nil); errors.As(err, &found) {
			said["suspected"] = found.cell
		}
		runner.events.say(said)
		os.Exit(1)
	}
	runner.events.say(map[string]any{"event": "done", "elapsed_ns": nowNs() - begin})
	afterword(runner.events)
}

// afterword says what a program that was built for counting has counted (counting.go); others say nothing.
var afterword = func(*events) {}

type runner struct {
	cell   Cell
	of     *table
	events *events

	operations *operations // over the dataset that was given last
	loaded     string
	canonical  [][]byte
}

// run does the commands of a command line in their order. A panic of an adapter ends it as an error does.
func (r *runner) run(words []string) (err error) {
	commands, err := parseCommands(words)
	if err != nil {
		return err
	}
	if isProbeOfOne(commands[0]) {
		return r.probeOnes(commands[0])
	}
	r.describe()
	for _, each := range commands {
		if err := guarded(func() error { return r.dispatch(each) }); err != nil {
			return err
		}
	}
	if printed := r.events.printed(); printed != "" {
		return fmt.Errorf("something else than the runner printed on standard output: %s", printed)
	}
	return nil
}

// guarded is what a call returns, or the panic with which it ended. Who reads behind the end of a message has
// one too.
func guarded(call func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if panicked := recover(); panicked != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", panicked, debug.Stack())
			if _, isFault := panicked.(interface{ Addr() uintptr }); isFault {
				panicked = "it reads or writes memory that is not its own, such as behind the end of a message"
			}
			err = panicError{panicked, originOfPanic()}
		}
	}()
	return call()
}

// kindOf is the type of an error, without what wraps it; of a panic that of the value that it has.
func kindOf(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if panicked, is := err.(panicError); is {
		return fmt.Sprintf("%T", panicked.with)
	}
	return fmt.Sprintf("%T", err)
}

// panicError is a panic as an error, and whose code began it.
type panicError struct {
	with any
	by   string
}

func (p panicError) Error() string { return fmt.Sprintf("panicked: %v", p.with) }

func (r *runner) describe() {
	r.events.say(hello{
		Event: "hello", Protocol: protocol,
		Codec: r.cell.Codec, Workload: r.cell.Workload, Schema: r.cell.Schema,
		Compiler: runtime.Version(), Go: settings(), Edits: true, Floor: r.of.isFloor, Relays: r.of.relays,
		Operations: r.of.offered(),
	})
}

// settings are what decides how long passes take besides the program.
func settings() []string {
	words := []string{
		runtime.Version(), fmt.Sprintf("GOGC=%d", gcPercent), fmt.Sprintf("ballast=%dMiB", ballastBytes>>20),
		fmt.Sprintf("GOMAXPROCS=%d", runtime.GOMAXPROCS(0)),
	}
	if debugged := os.Getenv("GODEBUG"); debugged != "" {
		words = append(words, "GODEBUG="+debugged)
	}
	return words
}

func (r *runner) dispatch(command arguments) error {
	switch command.command {
	case "describe":
		return nil
	case "decode":
		return r.decode(command)
	case "relay":
		return r.relay(command)
	case "probe":
		return r.probe(command)
	case "measure", "calls", "encode", "check":
	default:
		return fmt.Errorf("found command '%s', expected %s", command.command, knownCommands)
	}
	path, err := command.get("dataset")
	if err != nil {
		return err
	}
	switch command.command {
	case "encode":
		return errors.Join(r.load(path), r.encode(command))
	case "check":
		return errors.Join(r.load(path), r.check(command))
	}
	if text := command.either("place", ""); text != "" {
		if err := place.seed(text); err != nil {
			return err
		}
		r.loaded = "" // at other places
	}
	begin := nowNs()
	if err := r.load(path); err != nil {
		return err
	}
	if command.command == "calls" {
		r.loaded = "" // passes are over one message
		return r.calls(command, nowNs()-begin)
	}
	err = r.measure(command)
	r.loaded = "" // values have changed
	return err
}

// load reads a dataset, unless it was the last one.
func (r *runner) load(path string) error {
	if path == r.loaded {
		return nil
	}
	canonical, err := openDataset(path, r.cell.Schema)
	if err != nil {
		return err
	}
	r.canonical, r.operations = canonical, newOperations(r.of)
	if err := r.operations.inputs.load(canonical); err != nil {
		return err
	}
	r.loaded = path
	return nil
}

// give has the bytes of messages be those of --encoded, where it is there: a body for each message and, with
// --edits, one for each edit.
func (r *runner) give(command arguments) error {
	path := command.either("encoded", "")
	if path == "" {
		return nil
	}
	r.loaded = "" // the next command may have other bytes
	edits := 0
	if file := command.either("edits", ""); file != "" {
		edited, err := openEdits(file, r.canonical)
		if err != nil {
			return err
		}
		edits = edited.count()
	}
	given, err := openApart(path)
	if err == nil && len(given) != len(r.canonical)+edits {
		err = fmt.Errorf("%s has %d bodies; expected one for each of %d messages and %d edits", path, len(given),
			len(r.canonical), edits)
	}
	if err == nil {
		r.operations.inputs.give(given)
	}
	return err
}

// measure takes samples of --cells, a comma-separated list of OPERATION:MEMORY, in this order.
func (r *runner) measure(command arguments) error {
	sampleNs, err1 := command.number("sample-ns", defaultSampleNs)
	iterations, err2 := command.number("iterations", 0)
	samples, err3 := command.number("samples", 3)
	threads, err4 := command.number("threads", 0)
	cells, err5 := command.get("cells")
	if err := errors.Join(err1, err2, err3, err4, err5, r.give(command)); err != nil {
		return err
	}
	options := samplerOptions{sampleNs, iterations, int(samples)}
	watch, err := r.watcher(command)
	if err != nil {
		return err
	}
	watched, err := watch(&r.operations.inputs)
	if err != nil {
		return err
	}
	for _, cell := range strings.Split(cells, ",") {
		place.release() // those of the cell before
		if threads > 0 {
			err = r.measureTogether(cell, int(threads), options, watch)
		} else {
			err = r.measureCell(cell, options, watched)
		}
		if err != nil {
			return err
		}
	}
	return checkIdle()
}

// watcher gives what makes inputs watched, each with edits of its own; without --edits, it makes nil.
func (r *runner) watcher(command arguments) (func(*inputs) (*watching, error), error) {
	path := command.either("edits", "")
	if path == "" {
		return func(*inputs) (*watching, error) { return nil, nil }, nil
	}
	if _, err := command.get("place"); err != nil { // edits are drawn by it, so it must be there
		return nil, err
	}
	to, err := command.get("left")
	if err != nil {
		return nil, err
	}
	left, err := openLeft(to)
	return func(inputs *inputs) (*watching, error) {
		edited, err := openEdits(path, r.canonical)
		if err != nil || edited == nil {
			return nil, err
		}
		return newWatching(inputs, edited, left), nil
	}, err
}

// prepare makes a cell's passes over the messages of these operations ready.
func prepare(cell string, of *operations, watched *watching) (timed, memory, error) {
	operation, policy, isWhole := strings.Cut(cell, ":")
	if !isWhole {
		return timed{}, reuse, fmt.Errorf("found cell '%s', expected OPERATION:MEMORY", cell)
	}
	memory, err := parseMemory(policy)
	if err != nil {
		return timed{}, memory, err
	}
	made, err := of.prepare(operation, memory)
	return timed{work: &made, operation: operation, policy: policy, watching: watched}, memory, err
}

func (r *runner) measureCell(cell string, options samplerOptions, watched *watching) error {
	timed, memory, err := prepare(cell, r.operations, watched)
	if err != nil {
		return err
	}
	taken, err := sampleBy(&timed, options)
	if err != nil {
		return err
	}
	r.saySamples(timed.operation, timed.policy, taken, 0)
	if watched != nil {
		return watched.meet(timed.operation, timed.policy, memory)
	}
	return nil
}

// measureTogether takes samples of several threads at once, which have inputs of their own.
func (r *runner) measureTogether(
	cell string, threads int, options samplerOptions, watch func(*inputs) (*watching, error),
) error {
	ready := func() (timed, error) {
		own := newOperations(r.of)
		if err := own.inputs.load(r.canonical); err != nil {
			return timed{}, err
		}
		if given := r.operations.inputs.given; given != nil {
			own.inputs.give(given)
		}
		watched, err := watch(&own.inputs)
		if err != nil {
			return timed{}, err
		}
		made, _, err := prepare(cell, own, watched)
		return made, err
	}
	taken, err := sampleTogether(threads, options, ready)
	if err == nil {
		operation, policy, _ := strings.Cut(cell, ":")
		r.saySamples(operation, policy, taken, threads)
	}
	return err
}

func (r *runner) saySamples(operation, policy string, taken sampling, threads int) {
	for n, s := range taken.samples {
		r.events.say(sampled{
			"sample", operation, policy, s.iterations, s.elapsedNs,
			s.garbage.allocatedBytes / s.iterations, s.garbage.collections, s.garbage.collectingNs,
			s.used.involuntarySwitches, s.used.waitedNs, s.used.pageFaults, s.used.stolenNs,
			s.used.ownNs, taken.grownBy(n), taken.warmups, taken.settled, s.left, threads,
		})
	}
}

const (
	pause      = 2 * time.Millisecond
	quietLooks = 5
	mostLooks  = 250
	mostWorkNs = 100_000_000
)

// checkIdle has an error where goroutines of the codec's are at work while no operation runs: what they do is
// no sample's. A library may have something to finish, or work now and then, and is waited for. On a busy
// machine one that is at work may have no core for a while, so it is looked several times, and also at who
// wants one.
func checkIdle() error {
	runtime.GC() // or the collector may be at work
	workedNs, begin := int64(0), nowNs()
	for looks, quiet := 1, 0; quiet < quietLooks; looks++ {
		before := ownNs()
		time.Sleep(pause)
		used := ownNs() - before
		if used <= int64(pause)/2 && !isOtherReady() {
			quiet++
			continue
		}
		workedNs += used
		if workedNs > mostWorkNs || looks >= mostLooks {
			return fmt.Errorf("of the %d goroutines of this process, some are still at work when no operation "+
				"runs: they took %d microseconds of %d", runtime.NumGoroutine(), workedNs/1000, (nowNs()-begin)/1000)
		}
	}
	return nil
}

var stacks = make([]byte, 1<<20)

// isOtherReady tells whether a goroutine besides this one runs, or waits for nothing but a core.
func isOtherReady() bool {
	ready := 0
	for line := range bytes.Lines(stacks[:runtime.Stack(stacks, true)]) {
		state := bytes.HasPrefix(line, []byte("goroutine ")) && bytes.Contains(line, []byte(" [run"))
		if state {
			ready++
		}
	}
	return ready > 1
}

package serbench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"time"
)

const (
	mostMemory     = 1 << 30
	mostOfAProcess = 2 << 30
	// longerByTheClock is for who waits or sleeps: on a busy machine, a message that is soon done waits for
	// seconds for a core.
	longerByTheClock = 2
	look             = 10 * time.Millisecond
	keptWords        = 1 << 16
)

// probe says of each message of --encoded whether it is decoded or refused. One that is neither ends this
// process; with --limit-ms, which is for hostile messages, messages are decoded in processes of their own,
// and what became of them is said.
func (r *runner) probe(command arguments) error {
	limitMs, err := command.number("limit-ms", 0)
	if err != nil {
		return err
	}
	messages, guard, err := encodedOf(command)
	if err != nil {
		return err
	}
	if limitMs > 0 {
		return r.probeApart(command, len(messages), time.Duration(limitMs)*time.Millisecond)
	}
	limitMemory(mostOfAProcess)
	for n, message := range messages {
		held := guard.hold(message)
		if err := guarded(func() error { return r.accept(held) }); err != nil {
			r.events.say(newProbed(n, false, "", err.Error(), originOf(err)))
			continue
		}
		r.events.say(newProbed(n, true, "", "", ""))
	}
	return nil
}

// probeApart lets another process of this program decode messages; where it dies or takes too long, the next
// one goes on behind the message that it was at.
func (r *runner) probeApart(command arguments, messages int, limit time.Duration) error {
	for at := 0; at < messages; {
		child, err := startChild(command.values["encoded"], at)
		if err != nil {
			return err
		}
		for at < messages {
			line, harm, reason := child.next(limit)
			if harm != "" {
				r.events.say(newProbed(at, false, harm, reason, ""))
				at++
				break
			}
			r.events.write(line)
			at++
		}
		child.end()
	}
	return nil
}

// isProbeOfOne tells whether this process is such a child.
func isProbeOfOne(command arguments) bool { return command.command == "probe-from" }

// probeOnes decodes messages from one on, each under fresh, and says what became of them.
func (r *runner) probeOnes(command arguments) error {
	first, err := command.number("first", 0)
	if err != nil {
		return err
	}
	messages, guard, err := encodedOf(command)
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(mostMemory) // garbage is no memory that was asked for
	limitMemory(mostMemory)
	for n := int(first); n < len(messages); n++ {
		held := guard.hold(messages[n])
		err := guarded(func() error { return r.accept(held) })
		var panicked panicError
		switch {
		case err == nil:
			r.events.say(newProbed(n, true, "", "", ""))
		case errors.As(err, &panicked):
			// No program expects that.
			r.events.say(newProbed(n, false, "crash", err.Error(), originOf(err)))
		default:
			r.events.say(newProbed(n, false, "", err.Error(), originOf(err)))
		}
	}
	os.Exit(0)
	return nil
}

// child is a process that decodes messages, and the lines that it says of them.
type child struct {
	process *exec.Cmd
	lines   chan []byte
	errors  *tail
}

func startChild(encoded string, first int) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	words := []string{"probe-from", "--encoded", encoded, "--first", strconv.Itoa(first)}
	process := exec.Command(program, append(slices.Clone(writerWords), words...)...)
	said := &tail{}
	process.Stderr = said
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("no process for messages: %w", err)
	}
	made := &child{process, make(chan []byte), said}
	go func() {
		from := bufio.NewReader(out)
		for {
			line, err := from.ReadBytes('\n')
			if err != nil {
				close(made.lines)
				return
			}
			made.lines <- line
		}
	}()
	return made, nil
}

// next is what the child says of a message; the harm that the message did where it says nothing.
func (c *child) next(limit time.Duration) (line []byte, harm, reason string) {
	begin, spent := time.Now(), c.spent()
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for {
		select {
		case line, isThere := <-c.lines:
			if isThere {
				return line, "", ""
			}
			harm, reason := c.ended()
			return nil, harm, reason
		case <-ticks.C:
			if c.spent()-spent > limit || time.Since(begin) > longerByTheClock*limit {
				reason := fmt.Sprintf("no end after %d ms of processor time, or twice as long", limit.Milliseconds())
				return nil, "hang", reason
			}
		}
	}
}

// ended tells why the child did.
func (c *child) ended() (harm, reason string) {
	err := c.process.Wait()
	said := c.errors.text
	if bytes.Contains(said, []byte("out of memory")) || bytes.Contains(said, []byte("cannot allocate memory")) {
		return "memory", firstLine(said)
	}
	if line := firstLine(said); line != "" {
		return "crash", line
	}
	return "crash", fmt.Sprintf("ended the process: %v", err)
}

func (c *child) end() {
	_ = c.process.Process.Kill()
	for range c.lines { // until it has ended
	}
	_ = c.process.Wait()
}

// spent is the processor time of the child; without end where the system does not tell.
func (c *child) spent() time.Duration {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(c.process.Process.Pid) + "/stat")
	end := bytes.LastIndexByte(text, ')')
	if err != nil || end < 0 {
		return 0
	}
	words := bytes.Fields(text[end+1:])
	const userTicks, systemTicks = 11, 12 // proc(5), counted from behind the name
	if len(words) <= systemTicks {
		return 0
	}
	user, _ := strconv.ParseInt(string(words[userTicks]), 10, 64)
	system, _ := strconv.ParseInt(string(words[systemTicks]), 10, 64)
	return time.Duration(user+system) * tickNs
}

// tail keeps the beginning of what is written, and passes it on.
type tail struct{ text []byte }

func (t *tail) Write(text []byte) (int, error) {
	if room := keptWords - len(t.text); room > 0 {
		t.text = append(t.text, text[:min(room, len(text))]...)
	}
	return os.Stderr.Write(text)
}

// firstLine is the first line that says why a program of Go ended.
func firstLine(text []byte) string {
	for line := range bytes.Lines(text) {
		for _, begin := range []string{"fatal error: ", "runtime: ", "panic: ", "SIG", "unexpected fault"} {
			if bytes.HasPrefix(line, []byte(begin)) {
				return string(bytes.TrimSpace(line))
			}
		}
	}
	return ""
}

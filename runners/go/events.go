package serbench

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"unicode/utf8"
)

// events are JSON objects, one a line, on what was standard output when the program began.
type events struct{ to, others int }

func newEvents() *events {
	to, others := keepOutput()
	return &events{to, others}
}

// say writes an event whole.
func (e *events) say(event any) {
	line, err := json.Marshal(event)
	if err != nil {
		panic(err)
	}
	e.write(append(line, '\n'))
}

func (e *events) write(line []byte) {
	for len(line) > 0 {
		written, err := syscall.Write(e.to, line)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "an event cannot be written: %v\n", err)
			os.Exit(1)
		}
		line = line[written:]
	}
}

// printed is the beginning of what somebody else has printed on standard output.
func (e *events) printed() string {
	begin := make([]byte, 80)
	if e.others < 0 {
		return ""
	}
	return string(begin[:readAt(e.others, begin)])
}

type hello struct {
	Event      string   `json:"event"`
	Protocol   int      `json:"protocol"`
	Codec      string   `json:"codec"`
	Workload   string   `json:"workload"`
	Schema     string   `json:"schema"`
	Compiler   string   `json:"compiler"`
	Go         []string `json:"go"`
	Edits      bool     `json:"edits"`
	Floor      bool     `json:"floor"`
	Relays     bool     `json:"relays"`
	Operations []string `json:"operations"`
}

type sampled struct {
	Event               string `json:"event"`
	Operation           string `json:"operation"`
	Memory              string `json:"memory"`
	Iterations          int64  `json:"iterations"`
	ElapsedNs           int64  `json:"elapsed_ns"`
	AllocatedBytesPerOp int64  `json:"allocated_bytes_per_op"`
	Collections         int64  `json:"collections"`
	CollectingNs        int64  `json:"collecting_ns"`
	InvoluntarySwitches int64  `json:"involuntary_switches"`
	WaitedNs            int64  `json:"waited_ns"`
	PageFaults          int64  `json:"page_faults"`
	StolenNs            int64  `json:"stolen_ns"`
	OwnNs               int64  `json:"own_ns"`
	GrownBytes          int64  `json:"grown_bytes"`
	Warmups             int    `json:"warmups"`
	Settled             bool   `json:"settled"`
	Left                int    `json:"left"`
	Threads             int    `json:"threads,omitempty"`
}

// done tells of messages that were encoded, decoded, relayed or checked, and of the bytes that were encoded.
type done struct {
	Event    string `json:"event"`
	Messages int    `json:"messages"`
	Bytes    *int64 `json:"bytes,omitempty"`
}

type probed struct {
	Event    string `json:"event"`
	Message  int    `json:"message"`
	Accepted bool   `json:"accepted"`
	Harm     string `json:"harm,omitempty"`
	Reason   string `json:"reason"`
	By       string `json:"by,omitempty"`
}

const longestReason = 200

func newProbed(message int, isAccepted bool, harm, reason, by string) probed {
	return probed{"probed", message, isAccepted, harm, shortened(reason), by}
}

// shortened is the beginning of a text; what is no text of it is a question mark.
func shortened(text string) string {
	made := make([]rune, 0, longestReason)
	for _, letter := range text {
		if len(made) == longestReason {
			break
		}
		if letter == utf8.RuneError || letter > 126 {
			letter = '?'
		}
		made = append(made, letter)
	}
	return string(made)
}

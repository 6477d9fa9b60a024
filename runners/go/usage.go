package serbench

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

const unknown = -1 // what the system does not tell

// reading is what the system has counted of this process and of its cores so far.
type reading struct {
	involuntarySwitches int64
	delayedNs           int64 // time that a thread of ours was ready and did not run, over all threads
	pageFaults          int64
	stolenNs            int64 // time that the hypervisor took of the cores that we may run on
	ownNs               int64 // processor time of all our threads and of child processes
	clockNs             int64
}

// usage is what was used between two readings.
type usage struct {
	involuntarySwitches int64
	waitedNs            int64 // a thread of ours was ready, and another process had the core
	pageFaults          int64
	stolenNs            int64
	ownNs               int64
}

func readUsage() reading {
	var self, children syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &self)
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children)
	now := reading{
		involuntarySwitches: int64(self.Nivcsw),
		pageFaults:          int64(self.Minflt) + int64(self.Majflt),
		stolenNs:            stolenNs(),
		delayedNs:           delayedNs(),
		ownNs:               children.Utime.Nano() + children.Stime.Nano(),
	}
	// Last and next to each other, since of the time between two readings what is ours is taken off.
	now.ownNs += ownNs()
	now.clockNs = nowNs()
	return now
}

// since is what was added. No more counts as waiting than our own threads and children left of the time: a
// thread that waits for another of ours on the same core waits for no one else.
func (r reading) since(before reading) usage {
	used := usage{
		involuntarySwitches: r.involuntarySwitches - before.involuntarySwitches,
		waitedNs:            unknown,
		pageFaults:          r.pageFaults - before.pageFaults,
		stolenNs:            unknown,
		ownNs:               max(0, r.ownNs-before.ownNs),
	}
	if before.stolenNs >= 0 && r.stolenNs >= 0 {
		used.stolenNs = r.stolenNs - before.stolenNs
	}
	if before.delayedNs >= 0 && r.delayedNs >= 0 {
		left := r.clockNs - before.clockNs - used.ownNs
		// A thread that ended takes its own along.
		used.waitedNs = max(0, min(r.delayedNs-before.delayedNs, left))
	}
	return used
}

func (u usage) plus(other usage) usage {
	both := func(one, other int64) int64 {
		if one < 0 || other < 0 {
			return unknown
		}
		return one + other
	}
	return usage{
		u.involuntarySwitches + other.involuntarySwitches, both(u.waitedNs, other.waitedNs),
		u.pageFaults + other.pageFaults, both(u.stolenNs, other.stolenNs),
		u.ownNs + other.ownNs,
	}
}

// Files of /proc are read into memory that is kept: what these lines leave is no garbage of a pass.
var contents [1 << 16]byte

// contentsOf is a file of /proc, until the next call; empty where there is none.
func contentsOf(path string) []byte {
	file, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(file)
	size := 0
	for size < len(contents) {
		read, err := syscall.Read(file, contents[size:])
		if err != nil || read <= 0 {
			break
		}
		size += read
	}
	return contents[:size]
}

// word takes the next word off the front of a text.
func word(text *[]byte) []byte {
	begin := bytes.TrimLeft(*text, " \t\n")
	end := bytes.IndexAny(begin, " \t\n")
	if end < 0 {
		end = len(begin)
	}
	*text = begin[end:]
	return begin[:end]
}

// number takes the next number off the front of a text; unknown where there is none.
func number(text *[]byte) int64 {
	digits := word(text)
	made := int64(0)
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			return unknown
		}
		made = 10*made + int64(digit-'0')
	}
	if len(digits) == 0 {
		return unknown
	}
	return made
}

// delayedNs adds up the second number of each thread's scheduler statistics (Linux's
// Documentation/scheduler/sched-stats.rst): time that it was ready and did not run.
func delayedNs() int64 {
	folder, err := os.Open("/proc/self/task")
	if err != nil {
		return unknown
	}
	defer folder.Close()
	threads, _ := folder.Readdirnames(-1)
	sum := int64(unknown)
	for _, thread := range threads {
		text := contentsOf("/proc/self/task/" + thread + "/schedstat")
		number(&text)
		if delayed := number(&text); delayed >= 0 {
			sum = max(sum, 0) + delayed
		}
	}
	return sum
}

const tickNs = 10_000_000 // Linux counts in hundredths of a second for user space

// stolenNs adds up the eighth number of each core's line in /proc/stat (proc(5)), of those that this process
// may run on.
func stolenNs() int64 {
	sum := int64(unknown)
	for line := range bytes.Lines(contentsOf("/proc/stat")) {
		core, isCore := bytes.CutPrefix(word(&line), []byte("cpu"))
		if !isCore || !coresAllowed()[string(core)] {
			continue
		}
		for range 7 {
			number(&line)
		}
		if ticks := number(&line); ticks >= 0 {
			sum = max(sum, 0) + ticks*tickNs
		}
	}
	return sum
}

// coresAllowed are the numbers of the cores that this process may run on.
var coresAllowed = sync.OnceValue(func() map[string]bool {
	text, _ := os.ReadFile("/proc/self/status")
	cores := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		list, isThere := strings.CutPrefix(line, "Cpus_allowed_list:")
		if !isThere {
			continue
		}
		for _, each := range strings.Split(strings.TrimSpace(list), ",") {
			first, last, isRange := strings.Cut(each, "-")
			if !isRange {
				last = first
			}
			from, _ := strconv.Atoi(first)
			to, _ := strconv.Atoi(last)
			for core := from; core <= to; core++ {
				cores[strconv.Itoa(core)] = true
			}
		}
	}
	return cores
})

// addressBytes is the first number of statm (proc(5)): what the process has of its address space.
func addressBytes() int64 {
	text := contentsOf("/proc/self/statm")
	return max(number(&text), 0) * int64(os.Getpagesize())
}

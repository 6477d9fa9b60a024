package serbench

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	clockMonotonic  = 1
	clockProcessCPU = 2
)

// clockNs is a system call of our own, which no function of a library can replace.
func clockNs(clock uintptr) int64 {
	var time syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&time)), 0)
	return time.Nano()
}

// nowNs is the time of a monotonic clock.
func nowNs() int64 { return clockNs(clockMonotonic) }

// ownNs is the processor time of all threads of this process.
func ownNs() int64 { return clockNs(clockProcessCPU) }

// keepOutput lets this program alone write events: what else goes to standard output comes into a file in
// memory. It returns where events go, and that file; -1 where there is none.
func keepOutput() (events, others int) {
	create := map[string]uintptr{"amd64": 319, "arm64": 279}[runtime.GOARCH]
	name := []byte("printed\x00")
	file, _, failed := syscall.Syscall(create, uintptr(unsafe.Pointer(&name[0])), 1, 0)
	if create == 0 || failed != 0 {
		return syscall.Stdout, -1
	}
	kept, err := syscall.Dup(syscall.Stdout)
	if err != nil || syscall.Dup3(int(file), syscall.Stdout, 0) != nil {
		return syscall.Stdout, -1
	}
	syscall.CloseOnExec(kept)
	return kept, int(file)
}

// readAt reads the beginning of a file.
func readAt(file int, buffer []byte) int {
	size, err := syscall.Pread(file, buffer, 0)
	if err != nil {
		return 0
	}
	return size
}

// limitMemory bounds the address space that this process takes besides what it has.
func limitMemory(more int64) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil {
		limit.Cur = min(uint64(addressBytes()+more), limit.Max)
		_ = syscall.Setrlimit(syscall.RLIMIT_AS, &limit)
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}

// guard is memory that ends where none may be read: who reads on behind a message is killed.
type guard struct {
	memory []byte
	end    int
}

func newGuard(most int) (*guard, error) {
	page := syscall.Getpagesize()
	end := (most + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, end+page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, errors.New("no memory for messages: " + err.Error())
	}
	return &guard{memory, end}, syscall.Mprotect(memory[end:], syscall.PROT_NONE)
}

// hold copies a message to the end of the memory, where the one before it was.
func (g *guard) hold(message []byte) []byte {
	held := g.memory[g.end-len(message) : g.end : g.end]
	copy(held, message)
	return held
}

// Runs a program and says how much memory it had resident at its peak, as runners/cpp/source/peak.cpp does
// where there is a compiler for C++.
//
// On Linux a process inherits the peak of the one that started it, even through exec. This program has less
// than any runner in Go, whose runtime it has too.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "expected a program and its arguments")
		os.Exit(2)
	}
	program := exec.Command(os.Args[1], os.Args[2:]...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := program.Run()
	if program.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	status := program.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		dieBy(status.Signal())
	}
	used := program.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Printf("{\"event\":\"peak\",\"bytes\":%d}\n", int64(used.Maxrss)*unit())
	os.Exit(status.ExitStatus())
}

// unit is how many bytes the system counts by.
func unit() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}

// dieBy ends this program as the other one ended.
func dieBy(signal syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), signal)
	os.Exit(128 + int(signal))
}

package serbench

import (
	"encoding/binary"
	"fmt"
	"os"
)

// The kinds of records: canonical bytes of a domain object, bytes that were encoded, or a sum.
const (
	leftCanonical = iota
	leftEncoded
	leftSum
)

// leftFile is the file of what timed passes left, which serbench judges (docs/protocol.md, "What passes
// leave"). Each record is written at once, so that it is there when the process dies.
type leftFile struct{ file *os.File }

func openLeft(path string) (*leftFile, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return &leftFile{file}, nil
}

// record is what an operation left of a message while some edits were in force.
type record struct {
	cell    string // OPERATION:MEMORY
	kind    byte
	walks   bool // the sum is of a walk
	message int
	edits   []uint32 // by their numbers
	rest    []byte
}

func (l *leftFile) add(record record) error {
	to := make([]byte, 4, 64+len(record.rest))
	to = append(to, byte(len(record.cell)))
	to = append(to, record.cell...)
	to = append(to, record.kind, byte(SumBool(record.walks)))
	to = binary.LittleEndian.AppendUint32(to, uint32(record.message))
	to = binary.LittleEndian.AppendUint32(to, uint32(len(record.edits)))
	for _, number := range record.edits {
		to = binary.LittleEndian.AppendUint32(to, number)
	}
	to = append(to, record.rest...)
	binary.LittleEndian.PutUint32(to, uint32(len(to)-4))
	_, err := l.file.Write(to)
	return err
}

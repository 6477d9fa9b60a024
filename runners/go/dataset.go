package serbench

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
)

const (
	datasetHead = 96 // docs/protocol.md, "Dataset files"
	schemaAt    = 64
)

// openDataset reads the canonical bytes of each message of a dataset.
func openDataset(path, schema string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) < datasetHead {
		return nil, fmt.Errorf("%s is too short for a dataset", path)
	}
	if string(data[:8]) != "SERBENCH" {
		return nil, fmt.Errorf("%s is no dataset", path)
	}
	if version := binary.LittleEndian.Uint32(data[8:]); version != 1 {
		return nil, fmt.Errorf("%s has version %d; this runner reads version 1", path, version)
	}
	if found := hex.EncodeToString(data[schemaAt:datasetHead]); found != schema {
		return nil, fmt.Errorf("%s has the schema %s; this runner was built for %s", path, found, schema)
	}
	body := datasetHead + uint64(binary.LittleEndian.Uint32(data[12:]))
	promised := body + binary.LittleEndian.Uint64(data[24:])
	if uint64(len(data)) != promised {
		return nil, fmt.Errorf("%s has %d bytes; its header promises %d", path, len(data), promised)
	}
	messages, err := splitMessages(data[body:])
	if err == nil && uint64(len(messages)) != binary.LittleEndian.Uint64(data[16:]) {
		err = fmt.Errorf("%s does not hold as many messages as it promises", path)
	}
	return messages, err
}

// openMessages reads a file of length-prefixed messages.
func openMessages(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return splitMessages(data)
}

// openApart reads a file of length-prefixed messages into memory that is not the heap's: a collection begins
// when the heap has grown by what it holds, and messages that no pass reads would put it off.
func openApart(path string) ([][]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	memory, err := newGuard(len(data))
	if err != nil {
		return nil, err
	}
	return splitMessages(memory.hold(data))
}

func splitMessages(data []byte) ([][]byte, error) {
	var messages [][]byte
	for len(data) > 0 {
		if len(data) < 4 {
			return nil, errors.New("a message's length is cut off")
		}
		length := uint64(binary.LittleEndian.Uint32(data))
		if data = data[4:]; uint64(len(data)) < length {
			return nil, errors.New("a message is cut off")
		}
		messages = append(messages, data[:length:length])
		data = data[length:]
	}
	return messages, nil
}

// messageWriter writes length-prefixed messages to a file.
type messageWriter struct {
	file *os.File
	to   *bufio.Writer
}

func createMessages(path string) (*messageWriter, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &messageWriter{file, bufio.NewWriter(file)}, nil
}

func (w *messageWriter) write(message []byte) error {
	if len(message) > math.MaxUint32 {
		return errors.New("a message is longer than 2^32 - 1 bytes")
	}
	var length [4]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(message)))
	if _, err := w.to.Write(length[:]); err != nil {
		return err
	}
	_, err := w.to.Write(message)
	return err
}

func (w *messageWriter) close() error {
	return errors.Join(w.to.Flush(), w.file.Close())
}

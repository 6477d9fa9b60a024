package serbench

import "os"

// writerOption stands in front of the commands, with the path of a file behind it.
const writerOption = "--writer-schema"

// writerWords are the words of that option; none where it is not given.
var writerWords = func() []string {
	if len(os.Args) > 2 && os.Args[1] == writerOption {
		return os.Args[1:3]
	}
	return nil
}()

// WriterSchema is the text of the schema by which messages were written, where that is another one than the
// program's own; empty where it is that.
var WriterSchema = func() string {
	if writerWords == nil {
		return ""
	}
	text, err := os.ReadFile(writerWords[1])
	if err != nil {
		panic(err)
	}
	return string(text)
}()

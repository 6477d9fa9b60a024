package serbench

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const knownCommands = "describe, measure, calls, encode, decode, relay, probe or check"

// arguments are a command and its options, which each take a value; each command reads those it needs.
type arguments struct {
	command string
	values  map[string]string
}

func newArguments(words []string) (arguments, error) {
	if len(words) == 0 {
		return arguments{}, errors.New("no command; expected " + knownCommands)
	}
	made := arguments{words[0], map[string]string{}}
	for n := 1; n < len(words); n += 2 {
		if !strings.HasPrefix(words[n], "--") || n+1 == len(words) {
			return made, fmt.Errorf("expected --NAME VALUE, found %s", words[n])
		}
		made.values[words[n][2:]] = words[n+1]
	}
	return made, nil
}

// parseCommands gives the commands of a command line, which a + stands between.
func parseCommands(words []string) ([]arguments, error) {
	var commands []arguments
	for {
		end := slices.Index(words, "+")
		own := words
		if end >= 0 {
			own = words[:end]
		}
		made, err := newArguments(own)
		if err != nil {
			return nil, err
		}
		commands = append(commands, made)
		if end < 0 {
			return commands, nil
		}
		words = words[end+1:]
	}
}

func (a arguments) get(name string) (string, error) {
	value, isThere := a.values[name]
	if !isThere {
		return "", fmt.Errorf("%s needs --%s", a.command, name)
	}
	return value, nil
}

func (a arguments) either(name, fallback string) string {
	if value, isThere := a.values[name]; isThere {
		return value
	}
	return fallback
}

func (a arguments) number(name string, fallback int64) (int64, error) {
	value, isThere := a.values[name]
	if !isThere {
		return fallback, nil
	}
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("--%s: found '%s', expected a whole number", name, value)
	}
	return number, nil
}

func parseMemory(text string) (memory, error) {
	switch text {
	case "reuse":
		return reuse, nil
	case "fresh":
		return fresh, nil
	}
	return reuse, fmt.Errorf("found memory policy '%s', expected reuse or fresh", text)
}

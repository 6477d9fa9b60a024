package adapter

import "serbench"

// faults is the first thing that messages may hold and domain objects may not.
type faults struct{ err error }

func (f *faults) add(reason string) {
	if f.err == nil {
		f.err = serbench.Fault(reason)
	}
}

// check adds that a number or a count is none of those that there are; it returns whether it is one.
func (f *faults) check(isOne bool) bool {
	if !isOne {
		f.add("a number or a count is not within its bounds")
	}
	return isOne
}

// fill copies bytes that have to be as many.
func (f *faults) fill(to, from []byte) {
	if f.check(len(to) == len(from)) {
		copy(to, from)
	}
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// narrow is a number of a type that may have fewer.
func narrow[To, From integer](f *faults, value From) To {
	made := To(value)
	f.check(From(made) == value && (made < 0) == (value < 0))
	return made
}

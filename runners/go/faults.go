package serbench

// Fault is what adapters, generated code and the runner themselves find wrong, as an error; other errors are
// the library's.
type Fault string

func (f Fault) Error() string { return string(f) }

// Faults is the first thing that messages may hold and domain objects may not.
type Faults struct{ Err error }

// Add adds a reason.
func (f *Faults) Add(reason string) {
	if f.Err == nil {
		f.Err = Fault(reason)
	}
}

// Check adds that a number or a count is none of those that there are; it returns whether it is one.
func (f *Faults) Check(isOne bool) bool {
	if !isOne {
		f.Add("a number or a count is not within its bounds")
	}
	return isOne
}

// Fill copies bytes that have to be as many.
func (f *Faults) Fill(to, from []byte) {
	if f.Check(len(to) == len(from)) {
		copy(to, from)
	}
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Narrow is a number of a type that may have fewer.
func Narrow[To, From integer](f *Faults, value From) To {
	made := To(value)
	f.Check(From(made) == value && (made < 0) == (value < 0))
	return made
}

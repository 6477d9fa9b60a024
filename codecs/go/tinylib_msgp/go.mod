module cell

go 1.24

tool github.com/tinylib/msgp

require serbench v0.0.0

require (
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/tinylib/msgp v1.6.5 // indirect
	golang.org/x/mod v0.18.0 // indirect
	golang.org/x/tools v0.22.0 // indirect
)

replace serbench => ../../../runners/go

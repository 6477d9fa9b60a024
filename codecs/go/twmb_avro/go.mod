module cell

go 1.25

require (
	github.com/twmb/avro v1.9.0
	serbench v0.0.0
)

replace serbench => ../../../runners/go

module cell

go 1.24

require serbench v0.0.0

require github.com/google/flatbuffers v25.12.19+incompatible

replace serbench => ../../../runners/go

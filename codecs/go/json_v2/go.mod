module cell

go 1.25

require serbench v0.0.0

replace serbench => ../../../runners/go

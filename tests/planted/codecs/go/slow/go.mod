module cell

go 1.24

require serbench v0.0.0

replace serbench => ../../../../../runners/go

module cell

go 1.24

require serbench v0.0.0

require github.com/goccy/go-json v0.12.0

replace serbench => ../../../runners/go

module cell

go 1.24

require (
	github.com/mus-format/common-go v0.0.0-20251026152644-9f5ac6728d8a
	github.com/mus-format/mus-go v0.7.2
	serbench v0.0.0
)

require golang.org/x/exp v0.0.0-20230425010034-47ecfdc1ba53 // indirect

replace serbench => ../../../runners/go

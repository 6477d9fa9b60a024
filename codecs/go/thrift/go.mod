module cell

go 1.26

require serbench v0.0.0

require github.com/apache/thrift v0.25.0

replace serbench => ../../../runners/go

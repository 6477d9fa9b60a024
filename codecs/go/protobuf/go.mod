module cell

go 1.24

tool (
	github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto
	google.golang.org/protobuf/cmd/protoc-gen-go
)

require (
	google.golang.org/protobuf v1.36.12
	serbench v0.0.0
)

require github.com/planetscale/vtprotobuf v0.6.0 // indirect

replace serbench => ../../../runners/go

module cell

go 1.25.0

require serbench v0.0.0

require go.mongodb.org/mongo-driver/v2 v2.10.0

replace serbench => ../../../runners/go

module serbench

go 1.24

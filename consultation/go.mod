module github.com/quorate/quorate/consultation

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/quorate/quorate/platform v0.0.0
	go.etcd.io/bbolt v1.5.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace (
	github.com/quorate/quorate/platform => ../platform
	github.com/quorate/quorate/proto => ../proto
)

//go:build unix

package agentclient

import (
	"errors"
	"syscall"
)

// quiet looks whether there is anything to read, without waiting for it. What it reads is lost, as the connection is then.
func quiet(conn syscall.RawConn) bool {
	var n int
	var err error
	looked := conn.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), make([]byte, 1))
		return true // do not wait
	})
	return looked == nil && n <= 0 && errors.Is(err, syscall.EAGAIN)
}

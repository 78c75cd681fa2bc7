//go:build unix

package agentclient

import (
	"errors"
	"syscall"
)

// quiet checks, without waiting, whether there is nothing to read. What it reads is lost, and so is the connection then.
func quiet(conn syscall.RawConn) bool {
	var n int
	var err error
	looked := conn.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), make([]byte, 1))
		return true // do not wait
	})
	return looked == nil && n <= 0 && errors.Is(err, syscall.EAGAIN)
}

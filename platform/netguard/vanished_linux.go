package netguard

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// vanished is how long the other end may leave bytes unacknowledged (RFC 5482). Without this limit, Linux retransmits to a host that has vanished for a quarter
// of an hour, and every call that shares the connection waits.
const vanished = 30 * time.Second

// boundSilence makes the kernel end a connection whose other end has vanished.
func boundSilence(c syscall.RawConn) error {
	var set error
	err := c.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(vanished.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return set
}

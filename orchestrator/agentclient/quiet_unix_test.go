//go:build unix

package agentclient_test

import (
	"bufio"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

func TestAConnectionThatSaidSomethingWhileIdleIsNotUsed(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]string{"its end": "", "an answer to nothing": "HTTP/1.1 408 Request Timeout\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			say := make(chan struct{}, 1)
			var d dials
			p := passageOf(t, d.dial, serveRaw(t, func(conn net.Conn, in *bufio.Reader) {
				take(in)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
				<-say
				_, _ = io.WriteString(conn, word)
			}))
			for n := range 3 {
				if got, err := post(t.Context(), p, "{}"); got != "{}" || err != nil {
					t.Fatalf("Post() = %q, %v, want {}", got, err)
				}
				if n > 0 && d.all()[n-1].SetDeadline(time.Time{}) == nil {
					t.Error("the connection that is not used any more is open")
				}
				say <- struct{}{}
				awaitWord(t, d.all()[n])
			}
		})
	}
}

// awaitWord waits until there is something to read on a connection, and leaves it there.
func awaitWord(t *testing.T, conn net.Conn) {
	t.Helper()
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err == nil {
		err = raw.Read(func(fd uintptr) bool {
			_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			return err != syscall.EAGAIN
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

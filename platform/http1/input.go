package http1

import (
	"io"
	"net"
	"slices"
	"time"
)

const (
	smallBuffer = 4 << 10 // bytes that a connection keeps
	patience    = time.Second
	maxReads    = 100 // for one request
	maxBlank    = 4   // bytes of empty lines behind a POST
)

// input is what comes over a connection.
type input struct {
	conn  net.Conn
	data  []byte // read and not dropped
	blank int    // bytes of empty lines that may come before the next request
}

// await returns once there is a byte of a request; it reports whether that was before the connection ended or the time did.
func (in *input) await(d time.Duration) bool {
	for reads := 0; ; reads++ {
		// Old clients send an empty line behind a POST (RFC 9112, section 2.2); net/http passes over as many bytes.
		for in.blank > 0 && len(in.data) > 0 && (in.data[0] == '\r' || in.data[0] == '\n') {
			in.data = in.data[1:]
			in.blank--
		}
		if len(in.data) > 0 {
			return true
		}
		if reads == 0 {
			_ = in.conn.SetReadDeadline(time.Now().Add(d)) // a closed connection fails below
		}
		if in.fill() != nil {
			return false
		}
	}
}

// plain reads the next request and returns its size if it is plain and comes at once.
func (in *input) plain() (size int, ok bool) {
	for reads := range maxReads {
		size, v := look(in.data)
		if v != partial {
			return size, v == plain
		}
		if reads == 0 {
			_ = in.conn.SetReadDeadline(time.Now().Add(patience))
		}
		if in.fill() != nil {
			break
		}
	}
	return 0, false
}

// fill reads once.
func (in *input) fill() error {
	if len(in.data) == cap(in.data) {
		in.data = slices.Grow(in.data, max(len(in.data), smallBuffer))
	}
	n, err := in.conn.Read(in.data[len(in.data):cap(in.data)])
	in.data = in.data[:len(in.data)+n]
	if n > 0 {
		return nil // an error comes again
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}

// drop forgets a request, and the memory of a large one.
func (in *input) drop(size int, post bool) {
	rest := in.data[size:]
	if cap(in.data) > smallBuffer {
		in.data = slices.Clone(rest)
	} else {
		in.data = in.data[:copy(in.data, rest)]
	}
	in.blank = 0
	if post {
		in.blank = maxBlank
	}
}

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
	maxBlank    = 4   // bytes of empty lines after a POST
)

// input reads requests from a connection.
type input struct {
	conn  net.Conn
	data  []byte // read and not dropped yet
	blank int    // bytes of empty lines that may come before the next request
}

// await waits for the first byte of a request. It returns false if the connection or the time ends first.
func (in *input) await(d time.Duration) bool {
	for reads := 0; ; reads++ {
		// Old clients send an empty line after a POST (RFC 9112, section 2.2); net/http skips as many bytes.
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

// nextPlain reads the next request and returns its size. It is not ok if the request is not plain, or does not arrive at once.
func (in *input) nextPlain() (size int, ok bool) {
	for reads := range maxReads {
		size, v := inspect(in.data)
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

// fill reads from the connection once.
func (in *input) fill() error {
	if len(in.data) == cap(in.data) {
		in.data = slices.Grow(in.data, max(len(in.data), smallBuffer))
	}
	n, err := in.conn.Read(in.data[len(in.data):cap(in.data)])
	in.data = in.data[:len(in.data)+n]
	if n > 0 {
		return nil // an error will be returned by the next read too
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}

// drop removes a request from data, and frees the buffer if it is large.
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

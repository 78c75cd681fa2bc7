package http1

import (
	"bytes"
	"io"
	"net"
	"net/http/httputil"
	"time"
)

const (
	maxHeld   = 16 << 10 // bytes of an answer that wait for more before its length is given up
	keptReady = 4 << 10  // bytes of memory for heads that a connection keeps
)

// output is what goes out over a connection: always the connection's own memory, so that no mistake of a handler shows one caller what is another's.
type output struct {
	conn     net.Conn
	ready    bytes.Buffer // goes out with the next write: a head, content as it is framed
	held     []byte       // content that is not framed yet
	deadline time.Time    // of writes, as the connection has it
}

// frame makes what is held ready, as a chunk or as it is.
func (o *output) frame(chunked bool) {
	into := io.Writer(&o.ready)
	if chunked {
		into = httputil.NewChunkedWriter(&o.ready) // which writes nothing for nothing
	}
	_, _ = into.Write(o.held) // into memory
	o.held = o.held[:0]
}

// send writes what is ready, within a deadline unless that is zero.
func (o *output) send(deadline time.Time) error {
	if !deadline.Equal(o.deadline) {
		o.deadline = deadline
		_ = o.conn.SetWriteDeadline(deadline) // a closed connection fails below
	}
	_, err := o.conn.Write(o.ready.Bytes())
	o.ready.Reset()
	return err
}

// release forgets an answer, and the memory of a large one.
func (o *output) release() {
	o.ready.Reset()
	if o.ready.Cap() > keptReady {
		o.ready = bytes.Buffer{}
	}
	if o.held = o.held[:0]; cap(o.held) > keptReady {
		o.held = nil
	}
}

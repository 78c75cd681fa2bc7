package http1

import (
	"bytes"
	"io"
	"net"
	"net/http/httputil"
	"time"
)

const (
	maxHeld   = 16 << 10 // bytes of a response that are held back before it is sent without a known length
	keptReady = 4 << 10  // bytes of buffers that a connection keeps
)

// output writes responses to a connection. Its buffers are not shared with other connections, so that no mistake of a handler can show one caller another's data.
type output struct {
	conn     net.Conn
	ready    bytes.Buffer // for the next write: a head, framed content
	held     []byte       // content that is not framed yet
	deadline time.Time    // of writes, as set on the connection
}

// frame moves the held content to ready, as a chunk or unchanged.
func (o *output) frame(chunked bool) {
	into := io.Writer(&o.ready)
	if chunked {
		into = httputil.NewChunkedWriter(&o.ready) // which writes nothing for no content
	}
	_, _ = into.Write(o.held) // writing to memory cannot fail
	o.held = o.held[:0]
}

// send writes what is ready, before the deadline unless that is zero.
func (o *output) send(deadline time.Time) error {
	if !deadline.Equal(o.deadline) {
		o.deadline = deadline
		_ = o.conn.SetWriteDeadline(deadline) // on a closed connection the write fails
	}
	_, err := o.conn.Write(o.ready.Bytes())
	o.ready.Reset()
	return err
}

// release resets the buffers, and frees them if they are large.
func (o *output) release() {
	o.ready.Reset()
	if o.ready.Cap() > keptReady {
		o.ready = bytes.Buffer{}
	}
	if o.held = o.held[:0]; cap(o.held) > keptReady {
		o.held = nil
	}
}

package grpcwire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	readBuffer     = 32 << 10
	maxHeaderBytes = 64 << 10
	maxPending     = 64 << 10 // bytes of frames that wait for the network before messages wait too
	maxUnread      = 1 << 20  // of answers to control frames of somebody who does not read: the connection ends
	writeTimeout   = 30 * time.Second
	linger         = time.Second
	firstWindow    = 65535     // of every stream and connection, before anybody says otherwise (RFC 9113, section 6.9.2)
	streamWindow   = 256 << 10 // that we grant
	connWindow     = 4 << 20   // that we grant
	maxWindow      = 1<<31 - 1
	maxHeld        = 64 << 20 // bytes of requests that are not whole yet
)

// wire is one end of an HTTP/2 connection. One goroutine reads it. What is to be written is gathered, and written by whoever comes when nobody does: calls
// that run at the same time share a write.
type wire struct {
	conn   net.Conn
	framer *http2.Framer // of what comes; its reader's alone
	role   role
	frames atomic.Uint64 // that came

	mu       sync.Mutex
	room     sync.Cond // of mu: there may be room for another stream, nobody writes, or the wire ended
	out      []byte    // frames that wait
	taken    []byte    // frames that are being written
	writing  bool
	deadline time.Time // of writes
	encoder  *http2.Framer
	table    *hpack.Encoder
	block    bytes.Buffer // what table wrote
	message  []byte       // a message with its prefix, before it is cut into frames
	err      error        // why the wire ended

	streams  map[uint32]*stream
	blocked  map[*stream]struct{} // that wait for room to write
	lastID   uint32               // the highest of a stream that was begun, by whichever end begins them
	opened   uint32               // the highest of a stream of the other end that was taken
	window   int64                // bytes that may be sent
	initial  int64                // of streams to come
	maxFrame int                  // that the other end takes
	grant    int64                // bytes that may come
	owed     int64                // bytes that came and were not granted again
	held     int                  // bytes of requests that are not whole
	pings    int                  // since we last had something to say, or for a minute
	pinged   time.Time            // when pings was zero
}

// role is what the two ends do differently. The reader calls it; an http2.ConnectionError ends the connection.
type role interface {
	// headers takes the header or the trailer of a stream.
	headers(f *http2.MetaHeadersFrame) error
	// whole is called when all of a stream that is collected is there. It must not wait.
	whole(s *stream)
	// leaving is called when the other end takes no more streams than those up to last.
	leaving(last uint32)
	// pong is called when the other end has answered a ping.
	pong()
	// limit is called with mu held: so many streams does the other end let us have.
	limit(n uint32)
	// settled is called with mu held when the other end has said its settings.
	settled()
}

var (
	errClosed      = errors.New("the connection is closed")
	errUnread      = errors.New("the other end asks and does not read")
	errUnprocessed = errors.New("the call was not begun")
	errAnswered    = errors.New("the whole answer is there")
)

// newWire returns an end of conn that has said nothing yet.
func newWire(conn net.Conn, r role) *wire {
	w := &wire{
		conn: conn, role: r, streams: make(map[uint32]*stream), blocked: make(map[*stream]struct{}),
		window: firstWindow, initial: firstWindow, grant: firstWindow, maxFrame: 16 << 10,
	}
	w.room.L = &w.mu
	w.framer = newFramer(nil, bufio.NewReaderSize(conn, readBuffer))
	w.framer.SetReuseFrames()
	w.encoder = http2.NewFramer((*gathered)(w), nil)
	w.table = hpack.NewEncoder(&w.block)
	return w
}

// newFramer returns what reads frames and header blocks within our bounds.
func newFramer(to io.Writer, from io.Reader) *http2.Framer {
	f := http2.NewFramer(to, from)
	f.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	f.MaxHeaderListSize = maxHeaderBytes
	f.SetMaxReadFrameSize(16 << 10)
	return f
}

// gathered is where a wire's frames are written to; writing never fails.
type gathered wire

func (g *gathered) Write(p []byte) (int, error) {
	g.out = append(g.out, p...)
	return len(p), nil
}

// greet says what this end grants; preface comes first. mu is held.
func (w *wire) greet(preface string, settings ...http2.Setting) {
	w.out = append(w.out, preface...)
	_ = w.encoder.WriteSettings(append(settings,
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHeaderBytes})...)
	_ = w.encoder.WriteWindowUpdate(0, connWindow-firstWindow)
	w.grant = connWindow
}

// flush writes what is gathered, unless somebody does already. mu is held, and let go of while it writes.
func (w *wire) flush() {
	if w.writing || len(w.out) == 0 {
		return
	}
	w.writing = true
	if len(w.streams) > 1 { // whoever is about to have something to write joins in
		w.mu.Unlock()
		runtime.Gosched()
		w.mu.Lock()
	}
	for len(w.out) > 0 && w.err == nil {
		w.out, w.taken = w.taken[:0], w.out
		w.extend()
		w.mu.Unlock()
		_, err := w.conn.Write(w.taken)
		w.mu.Lock()
		if cap(w.taken) > maxUnread {
			w.taken = nil
		}
		if err != nil {
			w.end(err)
		}
		w.pass()
	}
	w.writing = false
	w.room.Broadcast()
}

// flushLater is flush for the reader, which must not wait for somebody who does not read. mu is held.
func (w *wire) flushLater() error {
	if len(w.out) > maxUnread {
		return errUnread
	}
	w.flushAside()
	return nil
}

// flushAside is flush for who must not wait for the network. mu is held.
func (w *wire) flushAside() {
	if w.writing {
		return
	}
	go func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.flush()
	}()
}

// extend gives the next write at least writeTimeout. A deadline costs as much as a small write, so most writes go by one that is there. mu is held.
func (w *wire) extend() {
	if now := time.Now(); w.deadline.Sub(now) < writeTimeout {
		w.deadline = now.Add(writeTimeout + writeTimeout/2)
		_ = w.conn.SetWriteDeadline(w.deadline) // a closed connection says so when it is written to
	}
}

// end ends the wire and all its streams; mu is held. The first reason counts.
func (w *wire) end(err error) {
	if w.stop(err) {
		go func() { _ = w.conn.Close() }() // TLS says goodbye first
	}
}

// stop ends all streams, and reports whether that had not been done; mu is held.
func (w *wire) stop(err error) bool {
	if w.err != nil {
		return false
	}
	w.err = err
	for _, s := range w.streams {
		s.fail(err)
	}
	w.room.Broadcast()
	return true
}

// goodbye says that the wire ends, and why. The reader goes on for a moment, since what is closed with something unread in it may lose what was said last.
func (w *wire) goodbye(code http2.ErrCode, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	_ = w.encoder.WriteGoAway(w.opened, code, nil)
	w.flush()
	for w.writing && w.err == nil {
		w.room.Wait()
	}
	if !w.stop(err) {
		return
	}
	_ = w.conn.SetReadDeadline(time.Now().Add(linger)) // a closed connection says so when it is read
	if c, ok := w.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

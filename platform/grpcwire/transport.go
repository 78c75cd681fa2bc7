package grpcwire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/quorate/quorate/platform/share"
)

const (
	readBuffer     = 32 << 10
	maxHeaderBytes = 64 << 10
	maxPending     = 64 << 10       // bytes of frames waiting to be written above which messages have to wait
	maxUnread      = 1 << 20        // bytes of unwritten responses to control frames above which the connection ends, because the peer does not read
	maxKept        = 2 * maxPending // bytes of each of the two buffers for frames that are kept when they are empty
	writeTimeout   = 30 * time.Second
	linger         = time.Second
	firstWindow    = 65535     // initial window of every stream and connection (RFC 9113, section 6.9.2)
	requestWindow  = 256 << 10 // the window that we grant to a request
	answerWindow   = 64 << 10  // the window that we grant to a response, until a message that is larger may come
	connWindow     = 4 << 20   // the window that we grant to a connection
	maxWindow      = 1<<31 - 1
)

// transport is one end of an HTTP/2 connection. One goroutine reads it. Frames to be written are gathered in a buffer; whoever adds some while nobody is writing writes
// the buffer, so that concurrent calls share writes.
type transport struct {
	conn   net.Conn
	framer *http2.Framer // for reading; used by the reading goroutine only
	role   side
	frames atomic.Uint64 // number of frames received

	mu       sync.Mutex
	room     sync.Cond // with mu: writing has ended, or a handler of the server's, or the transport has ended
	out      []byte    // frames to be written
	taken    []byte    // frames being written
	writing  bool
	coming   bool      // flushAsync has begun a goroutine that has not come to flush yet
	unsent   error     // why nothing can be written any more
	deadline time.Time // of writes
	encoder  *http2.Framer
	table    *hpack.Encoder
	block    bytes.Buffer // output of table
	message  []byte       // a message with its prefix, before it is cut into frames
	err      error        // why the transport ended

	streams  map[uint32]*stream
	blocked  map[*stream]struct{} // streams that wait for room to write
	lastID   uint32               // highest id of the streams that the client has begun, at both ends
	opened   uint32               // highest id of the peer's streams that were accepted
	window   int64                // bytes that may be sent
	initial  int64                // initial window of further streams
	grants   int64                // the window that we grant to each stream; never changes
	maxFrame int                  // largest frame that the peer accepts
	owed     int64                // bytes that were received but not yet added to the window again
	held     int                  // bytes of incomplete requests and their headers
	allHeld  *share.Bytes[string] // those of all connections of the server, by origin; nil at the client's end
	origin   string               // whose requests these are
	maxPings int                  // how many pings are answered while we send nothing, per minute; 0 means any number
	pings    int                  // pings received since we last sent a message, or within a minute
	pinged   time.Time            // when pings was reset
}

// side has the differences between client and server. The reading goroutine calls it; an http2.ConnectionError ends the connection.
type side interface {
	// headers handles the header or the trailer of a stream.
	headers(f *http2.MetaHeadersFrame) error
	// makeRoom is called, with mu held, before data is handled. It may wait, and then releases mu.
	makeRoom()
	// goAway is called when the peer accepts no streams after last (GOAWAY).
	goAway(last uint32)
	// pong is called when the peer has answered a ping.
	pong()
	// setMaxStreams is called, with mu held, when the peer sets how many streams we may have.
	setMaxStreams(n uint32)
	// settingsReceived is called, with mu held, when the peer has sent its settings.
	settingsReceived()
	// streamCutOff is called, with mu held, when a stream has been reset by either end.
	streamCutOff()
	// unwritable is called, with mu held, when nothing can be written any more. The transport is to end soon.
	unwritable(err error)
	// ended is called, with mu held, when the transport has ended.
	ended()
}

var (
	errClosed      = errors.New("the connection is closed")
	errUnread      = errors.New("the other end asks and does not read")
	errUnprocessed = errors.New("the call was not begun")
	errOvertaken   = fmt.Errorf("%w before other calls had used up the connection", errUnprocessed)
	errAnswered    = errors.New("the whole answer is there")
)

// newTransport returns an end of conn that has sent nothing yet. It grants each stream of the peer a window.
func newTransport(conn net.Conn, r side, grants int64) *transport {
	w := &transport{
		conn: conn, role: r, grants: grants, streams: make(map[uint32]*stream), blocked: make(map[*stream]struct{}),
		window: firstWindow, initial: firstWindow, maxFrame: 16 << 10,
	}
	w.room.L = &w.mu
	w.framer = newFramer(nil, bufio.NewReaderSize(conn, readBuffer))
	w.framer.SetReuseFrames()
	w.encoder = http2.NewFramer((*frameBuffer)(w), nil)
	w.table = hpack.NewEncoder(&w.block)
	return w
}

// newFramer returns a framer that reads frames and header blocks within our limits.
func newFramer(to io.Writer, from io.Reader) *http2.Framer {
	f := http2.NewFramer(to, from)
	f.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	f.MaxHeaderListSize = maxHeaderBytes
	f.SetMaxReadFrameSize(16 << 10)
	return f
}

// frameBuffer is the writer that adds frames to the transport's buffer; it never fails.
type frameBuffer transport

func (g *frameBuffer) Write(p []byte) (int, error) {
	g.out = append(g.out, p...)
	return len(p), nil
}

// sendPreface sends the preface, the settings and the window of the connection; mu is held.
func (w *transport) sendPreface(preface string, settings ...http2.Setting) {
	w.out = append(w.out, preface...)
	_ = w.encoder.WriteSettings(append(settings,
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(w.grants)}, //nolint:gosec // G115: it is less
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHeaderBytes})...)
	_ = w.encoder.WriteWindowUpdate(0, connWindow-firstWindow)
}

// flush writes the gathered frames, unless somebody is writing already. mu is held, and released while it writes.
func (w *transport) flush() {
	if w.writing || len(w.out) == 0 {
		return
	}
	if w.unsent != nil { // a part of a frame may have been written
		w.out = w.out[:0]
		return
	}
	w.writing = true
	if len(w.streams) > 1 { // let other calls add their frames
		w.mu.Unlock()
		runtime.Gosched()
		w.mu.Lock()
	}
	for len(w.out) > 0 && w.err == nil && w.unsent == nil {
		w.out, w.taken = w.taken[:0], w.out
		w.extendDeadline()
		w.mu.Unlock()
		_, err := w.conn.Write(w.taken)
		w.mu.Lock()
		if cap(w.taken) > maxKept {
			w.taken = nil // a connection that is idle for days need not keep what it once took
		}
		if err != nil {
			w.unsent = err
			w.role.unwritable(err)
		}
		w.wakeNext()
	}
	w.writing = false
	w.room.Broadcast()
}

// flushLater is flush for the reading goroutine, which must not wait for a peer that does not read. mu is held.
func (w *transport) flushLater() error {
	if len(w.out) > maxUnread {
		return errUnread
	}
	w.flushAsync()
	return nil
}

// flushAsync is flush in another goroutine, for callers that must not wait for the network. There is one at a time, however fast a peer asks for answers. mu is held.
func (w *transport) flushAsync() {
	if w.writing || w.coming {
		return
	}
	w.coming = true
	go func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.coming = false
		w.flush()
	}()
}

// extendDeadline gives the next write at least writeTimeout. Setting a deadline costs as much as a small write, so most writes use an earlier one. mu is held.
func (w *transport) extendDeadline() {
	if now := time.Now(); w.deadline.Sub(now) < writeTimeout {
		w.deadline = now.Add(writeTimeout + writeTimeout/2)
		_ = w.conn.SetWriteDeadline(w.deadline) // on a closed connection the write fails
	}
}

// end ends the transport and all its streams; mu is held. Only the first error counts.
func (w *transport) end(err error) {
	if w.stop(err) {
		go func() { _ = w.conn.Close() }() // TLS sends an alert first, which may block
	}
}

// stop ends all streams, and returns false if that was done before; mu is held.
func (w *transport) stop(err error) bool {
	if w.err != nil {
		return false
	}
	w.err = err
	for _, s := range w.streams {
		s.fail(err)
	}
	w.room.Broadcast()
	w.role.ended()
	return true
}

// sendGoAway tells the peer that the transport ends, and why. Reading continues for a moment: closing a connection with unread data could discard what was sent last.
func (w *transport) sendGoAway(code http2.ErrCode, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	var why []byte
	if code == http2.ErrCodeEnhanceYourCalm {
		why = []byte("too_many_pings") // clients of gRPC then ping less often (gRFC A8)
	}
	_ = w.encoder.WriteGoAway(w.opened, code, why)
	w.flush()
	for w.writing && w.err == nil {
		w.room.Wait()
	}
	if !w.stop(err) {
		return
	}
	_ = w.conn.SetReadDeadline(time.Now().Add(linger)) // on a closed connection the read fails
	if c, ok := w.conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

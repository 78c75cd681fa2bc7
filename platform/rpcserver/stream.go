package rpcserver

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/protobuf/encoding/protojson"
)

const (
	// openAfter is how long a service may take to begin a stream before the client is told that the stream is open.
	openAfter = time.Second
	heartbeat = 15 * time.Second
)

func acceptsEvents(r *http.Request) bool {
	for _, value := range r.Header.Values("Accept") {
		if strings.Contains(strings.ToLower(value), eventMIME) {
			return true
		}
	}
	return false
}

// streamWriter is the response to a REST call. If the call turns out to be a stream of events, it sends a comment every 15 seconds, so that clients
// and proxies see that the stream is alive. An error before the first message is answered like that of any other call.
type streamWriter struct {
	under   http.ResponseWriter
	control *http.ResponseController
	header  http.Header // of the handler; copied when the answer begins, since a heartbeat may begin it at any time
	quit    chan struct{}
	beats   sync.WaitGroup

	mu      sync.Mutex
	failure error       // guarded by mu; what ended the stream
	opened  bool        // guarded by mu; the status is sent
	silent  bool        // guarded by mu; no heartbeats any more
	discard bool        // guarded by mu; the answer is complete
	next    *time.Timer // guarded by mu; until the next heartbeat; nil before start
}

func newStreamWriter(w http.ResponseWriter) *streamWriter {
	return &streamWriter{under: w, control: http.NewResponseController(w), header: make(http.Header), quit: make(chan struct{})}
}

// Header returns the headers that are sent if the handler begins the answer.
func (w *streamWriter) Header() http.Header { return w.header }

// WriteHeader begins the answer unless a heartbeat has begun it. After failWith it writes the error as the whole answer: the gateway would send it as
// a chunk of the stream.
func (w *streamWriter) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.opened && w.failure != nil {
		st := statusOf(w.failure)
		w.opened, w.silent, w.discard = true, true, true
		maps.Copy(w.under.Header(), w.header)
		writeStatus(w.under, asJSON, runtime.HTTPStatusFromCode(st.Code()), st)
		return
	}
	w.open(code, w.header)
}

// Write sends data, which must be whole events or lines.
func (w *streamWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.discard {
		return len(data), nil
	}
	w.open(http.StatusOK, w.header)
	return w.under.Write(data)
}

// FlushError sends what is buffered.
func (w *streamWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.control.Flush()
}

func (w *streamWriter) open(code int, header http.Header) {
	if w.opened {
		return
	}
	w.opened = true
	maps.Copy(w.under.Header(), header)
	if strings.HasPrefix(header.Get("Content-Type"), eventMIME) {
		w.under.Header().Set("Cache-Control", "no-store")
		w.under.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	}
	w.under.WriteHeader(code)
}

// failWith remembers what ended the stream.
func (w *streamWriter) failWith(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failure = err
}

// start begins the heartbeats. It is called at most once, when the call turns out to be a stream.
func (w *streamWriter) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = time.NewTimer(openAfter)
	due := w.next.C
	w.beats.Go(func() {
		for {
			select {
			case <-w.quit:
				return
			case <-due:
				if w.beat(": alive\n\n") != nil {
					return // the client is gone; the handler will see it too
				}
			}
		}
	})
}

// begin tells the client that the stream is open.
func (w *streamWriter) begin() error { return w.beat("") }

// beat sends a comment, or only the headers when it is empty, and postpones the next heartbeat.
func (w *streamWriter) beat(comment string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.silent {
		return nil
	}
	w.next.Reset(heartbeat)
	w.open(http.StatusOK, http.Header{"Content-Type": {eventMIME}})
	if _, err := io.WriteString(w.under, comment); err != nil {
		return err
	}
	return w.control.Flush()
}

// sendLast sends err as the last event if a heartbeat has begun the answer. Otherwise it returns false, and no heartbeat begins the answer any more.
func (w *streamWriter) sendLast(err error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = true
	if !w.opened {
		return false
	}
	data, marshalErr := protojson.Marshal(statusOf(err).Proto())
	if marshalErr != nil {
		data = []byte(`{"code":13,"message":"internal error"}`)
	}
	_, _ = w.under.Write(formatEvent("error", "", data)) // the stream ends anyway
	return true
}

// stop ends the heartbeats.
func (w *streamWriter) stop() {
	close(w.quit)
	w.beats.Wait()
}

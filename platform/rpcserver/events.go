package rpcserver

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
)

const (
	// openAfter is how long a stream may be silent before the client is told that it is open.
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

// eventStream is a response that sends a comment now and then, so that clients and proxies know that it is alive.
type eventStream struct {
	under   http.ResponseWriter
	control *http.ResponseController
	header  http.Header // of the handler; copied when the response begins, as a heartbeat may begin it at any time
	quit    chan struct{}
	beats   sync.WaitGroup

	mu     sync.Mutex
	opened bool // guarded by mu; the status is sent
	failed bool // guarded by mu; the last event is sent
}

func newEventStream(w http.ResponseWriter) *eventStream {
	return &eventStream{under: w, control: http.NewResponseController(w), header: make(http.Header), quit: make(chan struct{})}
}

// Header returns the headers for the answer, if it begins with the handler.
func (e *eventStream) Header() http.Header { return e.header }

// WriteHeader begins the answer unless a heartbeat has begun it.
func (e *eventStream) WriteHeader(code int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open(code, e.header)
}

// Write sends data, which must be whole events.
func (e *eventStream) Write(data []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open(http.StatusOK, e.header)
	return e.under.Write(data)
}

// FlushError sends what is buffered.
func (e *eventStream) FlushError() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.control.Flush()
}

func (e *eventStream) open(code int, header http.Header) {
	if e.opened {
		return
	}
	e.opened = true
	maps.Copy(e.under.Header(), header)
	if strings.HasPrefix(header.Get("Content-Type"), eventMIME) {
		e.under.Header().Set("Cache-Control", "no-store")
		e.under.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	}
	e.under.WriteHeader(code)
}

// start begins the heartbeats; it is called when the request turns out to be a stream.
func (e *eventStream) start() {
	e.beats.Go(func() {
		timer := time.NewTimer(openAfter)
		defer timer.Stop()
		for {
			select {
			case <-e.quit:
				return
			case <-timer.C:
				if e.beat() != nil {
					return // the client is gone; the handler will see it too
				}
				timer.Reset(heartbeat)
			}
		}
	})
}

func (e *eventStream) beat() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed {
		return nil
	}
	e.open(http.StatusOK, http.Header{"Content-Type": {eventMIME}})
	if _, err := e.under.Write([]byte(": alive\n\n")); err != nil {
		return err
	}
	return e.control.Flush()
}

// fail sends err as the last event if the answer has begun already; otherwise it returns false.
func (e *eventStream) fail(err error) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.opened {
		e.failed = true // the answer is an ordinary error
		return false
	}
	data, marshalErr := protojson.Marshal(statusOf(err).Proto())
	if marshalErr != nil {
		data = []byte(`{"code":13,"message":"internal error"}`)
	}
	e.failed = true
	_, _ = e.under.Write(formatEvent("error", "", data)) // the stream ends anyway
	return true
}

// stop ends the heartbeats.
func (e *eventStream) stop() {
	close(e.quit)
	e.beats.Wait()
}

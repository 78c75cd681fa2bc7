package http1

import (
	"context"
	"sync"
	"time"
)

// watchAfter is how long a handler may run before the connection is watched for the caller to disconnect.
const watchAfter = 50 * time.Millisecond

// maxAhead is how many bytes of a request and of those after it may be there when the connection is watched, which may double them.
const maxAhead = 2 * (maxHead + maxContent)

// disconnectWatch cancels the context of a request when its caller disconnects. Since the request has been read, nothing else reads from the connection meanwhile; bytes
// that arrive belong to the next request and stay in in.
type disconnectWatch struct {
	in     *input
	cancel context.CancelFunc
	timer  *time.Timer

	mu   sync.Mutex
	over bool          // guarded by mu; the handler has returned
	done chan struct{} // guarded by mu; closed when the read has ended; nil when none began
}

func watchCaller(in *input, cancel context.CancelFunc) *disconnectWatch {
	w := &disconnectWatch{in: in, cancel: cancel}
	w.timer = time.AfterFunc(watchAfter, w.read)
	return w
}

// read reads once, which fails when the caller has disconnected.
func (w *disconnectWatch) read() {
	done := w.begin()
	if done == nil {
		return
	}
	defer close(done)
	if w.in.fill() != nil {
		w.cancel()
	}
}

// begin returns a channel to close after the read, or nil if there is none: the handler has returned, or the caller has sent so much ahead that one more read would
// let it fill the memory. That it disconnects is then noticed when the answer cannot be written.
func (w *disconnectWatch) begin() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || len(w.in.data) > maxAhead {
		return nil
	}
	w.done = make(chan struct{})
	_ = w.in.conn.SetReadDeadline(time.Time{}) // with the lock held, so that the deadline of end comes later
	return w.done
}

// end stops the read and returns when it has ended. The handler must have returned, because its context may be canceled.
func (w *disconnectWatch) end() {
	if w.timer.Stop() {
		return // the usual case
	}
	w.mu.Lock()
	w.over = true
	done := w.done
	w.mu.Unlock()
	if done != nil {
		_ = w.in.conn.SetReadDeadline(time.Unix(1, 0)) // the read fails at once
		<-done
	}
}

package http1

import (
	"context"
	"sync"
	"time"
)

// watchAfter is how long a handler may take before somebody looks whether the caller is still there.
const watchAfter = 50 * time.Millisecond

// watch ends the context of a request when its caller leaves. Since the content has been read, nobody else reads from the connection meanwhile; what comes is
// part of the next request and stays in in.
type watch struct {
	in     *input
	cancel context.CancelFunc
	timer  *time.Timer

	mu   sync.Mutex
	over bool          // guarded by mu; the handler has returned
	done chan struct{} // guarded by mu; closed when the read has ended; nil when none began
}

func watchCaller(in *input, cancel context.CancelFunc) *watch {
	w := &watch{in: in, cancel: cancel}
	w.timer = time.AfterFunc(watchAfter, w.read)
	return w
}

// read reads once, which fails when the caller has left.
func (w *watch) read() {
	done := w.begin()
	if done == nil {
		return
	}
	defer close(done)
	if w.in.fill() != nil {
		w.cancel()
	}
}

// begin returns a channel to close after a read, or nil when there is nothing to wait for any more.
func (w *watch) begin() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return nil
	}
	w.done = make(chan struct{})
	_ = w.in.conn.SetReadDeadline(time.Time{}) // under the lock: that of end comes after it
	return w.done
}

// end returns when nobody reads any more. The handler must have returned, for its context may end now.
func (w *watch) end() {
	if w.timer.Stop() {
		return // as nearly always
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

package rpcserver

import (
	"net/http"
	"time"
)

// writeTimeout bounds one write, not the whole answer: a client that reads nothing for so long is cut off.
const writeTimeout = 30 * time.Second

// response extends the write deadline with each write, and records the status and the size of the answer.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int    // zero until the answer begins
	written int64  // bytes of the body
	headed  func() // called when the header was sent; may be nil
}

func newResponse(w http.ResponseWriter) *response {
	return &response{ResponseWriter: w, control: http.NewResponseController(w)}
}

// WriteHeader begins the answer, unless code is informational.
func (w *response) WriteHeader(code int) {
	if code >= http.StatusOK || code == http.StatusSwitchingProtocols {
		w.begin(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write writes data within writeTimeout.
func (w *response) Write(data []byte) (int, error) {
	w.begin(http.StatusOK)
	w.extend()
	n, err := w.ResponseWriter.Write(data)
	w.written += int64(n)
	return n, err
}

// Flush sends what is buffered, for handlers that ask for an http.Flusher.
func (w *response) Flush() {
	_ = w.FlushError() // http.Flusher cannot return an error
}

// FlushError sends what is buffered within writeTimeout.
func (w *response) FlushError() error {
	w.begin(http.StatusOK)
	w.extend()
	err := w.control.Flush()
	if w.headed != nil {
		w.headed()
	}
	return err
}

// Unwrap gives http.ResponseController access to the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// begin records the first status, which is the one that is sent.
func (w *response) begin(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *response) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a recorder in a test has no deadline
}

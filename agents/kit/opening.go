package kit

import (
	"bytes"
	"encoding/json"
	"net/http"
)

const eventStream = "text/event-stream"

// plainErrors answers with a status and an error of HTTP+JSON where a stream would begin with an error (A2A §11.6). The SDK answers 200 before it
// knows, and clients cannot read such an event: an event is a StreamResponse. JSON-RPC needs no such care, as its errors are answers wherever they are.
func plainErrors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&opening{ResponseWriter: w}, r)
	})
}

// opening holds a stream back until its first event is there.
type opening struct {
	http.ResponseWriter
	held bytes.Buffer
	open bool
}

func (o *opening) streams() bool { return o.Header().Get("Content-Type") == eventStream }

// WriteHeader implements http.ResponseWriter.
func (o *opening) WriteHeader(code int) {
	if o.open || !o.streams() {
		o.open = true
		o.ResponseWriter.WriteHeader(code)
	}
}

// Write implements http.ResponseWriter.
func (o *opening) Write(p []byte) (int, error) {
	if o.open || !o.streams() {
		return o.ResponseWriter.Write(p)
	}
	return o.held.Write(p)
}

// Flush implements http.Flusher.
func (o *opening) Flush() {
	if !o.open {
		o.open = true
		o.begin()
	}
	_ = http.NewResponseController(o.ResponseWriter).Flush() // the next write fails, too
}

// begin writes what is held: an error as an answer of its own, anything else as the beginning of the stream.
func (o *opening) begin() {
	var failed struct{ Error struct{ Code int } }
	_, data, _ := bytes.Cut(o.held.Bytes(), []byte("data: "))
	if !bytes.HasPrefix(data, []byte(`{"error":`)) || json.Unmarshal(data, &failed) != nil || failed.Error.Code < http.StatusBadRequest {
		_, _ = o.ResponseWriter.Write(o.held.Bytes())
		return
	}
	for _, name := range []string{"Cache-Control", "Connection", "X-Accel-Buffering"} {
		o.Header().Del(name)
	}
	o.Header().Set("Content-Type", "application/json")
	o.ResponseWriter.WriteHeader(failed.Error.Code)
	_, _ = o.ResponseWriter.Write(bytes.TrimRight(data, "\n"))
}

package a2aedge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	// openAfter is how long a call may take to begin its stream before the client is told that the stream is open. Until then an error is an ordinary
	// answer.
	openAfter = time.Second
	// openSoon is the same for a call that the other side has accepted: some servers send an error apart from the header, a moment later.
	openSoon  = 50 * time.Millisecond
	heartbeat = 15 * time.Second
)

// form writes the events of a stream as a binding demands.
type form interface {
	refuse(w http.ResponseWriter, err error)
	data(r *a2apb.StreamResponse) ([]byte, error)
	failure(st *status.Status) []byte
}

// received is the next thing that came from a call. With neither field set it says only that the stream is open.
type received struct {
	response *a2apb.StreamResponse
	err      error
}

// stream makes a streaming call and writes the responses as server-sent events.
func (h *Handler) stream(ctx context.Context, w http.ResponseWriter, m *method, req proto.Message, f form) {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := make(chan received)
	running.Go(func() { receive(ctx, h.Conn, m, req, next) })
	e := newEventWriter(w)
	timer := time.NewTimer(openAfter)
	defer timer.Stop()
	accepted := false
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			if accepted && !e.opened {
				err = e.begin()
			} else {
				err = e.heartbeat()
			}
		case x := <-next:
			switch {
			case x == received{}:
				accepted = true
				timer.Reset(openSoon)
				continue
			case x.err == nil:
				err = e.send(f, x.response)
			case errors.Is(x.err, io.EOF):
				e.open()
				return
			case !e.opened:
				f.refuse(w, x.err)
				return
			default:
				err = errors.Join(e.write(0, f.failure(statusOf(x.err))), x.err)
			}
		}
		if err != nil {
			return // the client is gone, or has been told why the stream ended
		}
		timer.Reset(heartbeat)
	}
}

// receive makes the call and passes on what it receives until ctx ends; the last value is an error.
func receive(ctx context.Context, conn grpc.ClientConnInterface, m *method, req proto.Message, next chan<- received) {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{StreamName: m.name, ServerStreams: true}, m.path())
	if err == nil {
		err = s.SendMsg(req)
	}
	if err == nil {
		err = s.CloseSend()
	}
	if errors.Is(err, io.EOF) { // the stream broke: RecvMsg says why
		err = nil
	}
	pass := func(x received) bool {
		select {
		case next <- x:
			return x.err == nil
		case <-ctx.Done():
			return false
		}
	}
	if err != nil {
		pass(received{err: err})
		return
	}
	if header, err := s.Header(); header != nil && err == nil && !pass(received{}) { // without a header RecvMsg says why
		return
	}
	for {
		x := received{response: &a2apb.StreamResponse{}}
		x.err = s.RecvMsg(x.response)
		if !pass(x) {
			return
		}
	}
}

// eventWriter writes server-sent events.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	opened  bool
}

func newEventWriter(w http.ResponseWriter) *eventWriter {
	return &eventWriter{w: w, control: http.NewResponseController(w)}
}

// begin tells the client that the stream is open, since there may be no event for long.
func (e *eventWriter) begin() error {
	e.open()
	return e.control.Flush()
}

func (e *eventWriter) send(f form, r *a2apb.StreamResponse) error {
	data, err := f.data(r)
	if err != nil {
		return errors.Join(e.write(0, f.failure(status.New(codes.Internal, "internal error"))), err)
	}
	return e.write(sequenceOf(r), data)
}

// write sends one event. A client resumes the stream with its id, if it has one.
func (e *eventWriter) write(id uint64, data []byte) error {
	e.open()
	b := make([]byte, 0, len(data)+32)
	if id > 0 {
		b = fmt.Appendf(b, "id: %d\n", id)
	}
	b = append(append(append(b, "data: "...), data...), "\n\n"...)
	if _, err := e.w.Write(b); err != nil { //nolint:gosec // events, which no browser takes for HTML
		return err
	}
	return e.control.Flush()
}

// sendFailure ends a stream that may have stopped in the middle of an event: an incomplete event is no valid JSON.
func (e *eventWriter) sendFailure(failure []byte) error {
	if _, err := e.w.Write([]byte("\n\n")); err != nil {
		return err
	}
	return e.write(0, failure)
}

// heartbeat shows the client, and proxies in between, that the stream is alive.
func (e *eventWriter) heartbeat() error {
	e.open()
	if _, err := e.w.Write([]byte(": alive\n\n")); err != nil {
		return err
	}
	return e.control.Flush()
}

func (e *eventWriter) open() {
	if e.opened {
		return
	}
	e.opened = true
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	h.Set("X-Content-Type-Options", "nosniff")
	e.w.WriteHeader(http.StatusOK)
}

// relay copies what comes from an agent until either side ends. The error is that of reading from the agent.
func (e *eventWriter) relay(from io.Reader) error {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if _, werr := e.w.Write(buffer[:n]); werr != nil || e.control.Flush() != nil {
				return nil //nolint:nilerr // the client is gone
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

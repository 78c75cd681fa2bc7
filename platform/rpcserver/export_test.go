package rpcserver

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"

	"github.com/quorate/quorate/platform/auth"
)

// Callers share a server out.
type Callers struct{ *callers }

// NewCallers is newCallers.
func NewCallers(l Limits) Callers { return Callers{newCallers(l)} }

// Enter is callers.enter.
func (c Callers) Enter(p auth.Principal) (leave func(), err error) { return c.enter(callerOf(p)) }

// Known returns how many callers are remembered.
func (c Callers) Known() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known)
}

// Events begins an answer of events, as a REST call does. It returns what sends an error as the last event, and what ends it.
func Events(w http.ResponseWriter) (sendLast func(error) bool, stop func()) {
	s := newStreamWriter(w)
	s.start()
	return s.sendLast, s.stop
}

// Stream returns a stream with this context, to which nobody listens.
func Stream(ctx context.Context) grpc.ServerStream { return &serverStream{ctx: ctx} }

// Marshal returns an answer as it is sent over REST.
func Marshal(v any) ([]byte, error) { return newMessageMarshaler().Marshal(v) }

// DecodePublic is Server.decodePublic of a server without calls.
func DecodePublic(decode func(any) error) error {
	s := &Server{strangers: strangers{awaited: newCallers(Limits{}), intake: newIntake(1, publicWait)}}
	return s.decodePublic(context.Background(), decode, nil)
}

// Receive is intake.receive of an intake that receives one request at a time, and waits for up to a minute.
func Receive() func(ctx context.Context, decode func(any) error) error {
	i := newIntake(1, time.Minute)
	return func(ctx context.Context, decode func(any) error) error {
		return i.receive(ctx, caller{name: "ann"}, decode, nil)
	}
}

// TurnsTaken are the turns of a server that others take.
type TurnsTaken struct{ *turns }

// TakeAll takes all turns.
func (t TurnsTaken) TakeAll() {
	for range cap(t.free) {
		t.free <- struct{}{}
	}
}

// EndAll ends what TakeAll took.
func (t TurnsTaken) EndAll() {
	for range cap(t.free) {
		<-t.free
	}
}

// Receiving is Server.receiving for a stream of responses, of a server that does nothing else.
func Receiving(stream grpc.ServerStream) (grpc.ServerStream, TurnsTaken) {
	s := &Server{intake: newIntake(1, bodyTimeout), turns: newTurns(1 << 20)}
	return s.receiving(stream, &grpc.StreamServerInfo{}), TurnsTaken{s.turns}
}

// NewCodec returns the codec of the server.
func NewCodec() encoding.CodecV2 { return newCodec() }

// Ready is the handler of /readyz of a server with one check.
func Ready(run func(context.Context) error) http.HandlerFunc {
	s := &Server{checks: []*check{{name: "check", run: run}}, ready: newReadyChecks()}
	return s.serveReady
}

// ServeReady is the handler of /readyz.
func (s *Server) ServeReady(w http.ResponseWriter, r *http.Request) { s.serveReady(w, r) }

// LimitBody is Server.limitBody of a server with a limit in bytes.
func LimitBody(limit int64, next http.Handler) http.Handler {
	s := &Server{opts: Options{MaxBodyBytes: limit}, mux: http.NewServeMux()}
	return s.limitBody(next)
}

// Waiting returns the number of bytes of large requests that arrive or wait for their turn.
func (s *Server) Waiting() int { return s.turns.line.Taken() }

// Turns returns the number of turns that are not over.
func (s *Server) Turns() int {
	s.turns.mu.Lock()
	defer s.turns.mu.Unlock()
	return len(s.turns.ends)
}

// Unread returns the number of bytes of answers that callers have not read.
func (s *Server) Unread() int { return s.unread.Taken() + s.strangers.unread.Taken() }

// Streams returns how many streams are open.
func (s *Server) Streams() int {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	return len(s.streams.cancels)
}

// Handler is what answers HTTP requests. It is for a server that does not run.
func (s *Server) Handler() http.Handler { return s.handler() }

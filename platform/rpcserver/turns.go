package rpcserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"runtime"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/share"
)

const (
	// largeRequest is the size in bytes from which a request needs a turn.
	largeRequest = 16 << 10

	// maxInLine is the number of bytes of large requests that wait for their turn, as a multiple of Options.MaxBodyBytes.
	maxInLine = 64

	// turnKey is the metadata by which a call from inside names the turn of the HTTP request behind it.
	turnKey = "quorate-turn"
)

// turns limit how many large requests are decoded and validated at a time to about as many as can make progress: decoded, a request can take a hundred
// times its size in memory. A turn ends when the handler gets the request, which may take as long as it likes then. The others wait in a line, of which a caller may
// take as much as is free for others, so that it neither fills the memory nor lets others wait for long.
type turns struct {
	free chan struct{} // holds a token for each turn that is taken
	line *share.Bytes[caller]

	mu   sync.Mutex
	ends map[string]func() // guarded by mu; by id
}

func newTurns(line int) *turns {
	return &turns{free: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))), line: share.NewBytes[caller](line), ends: make(map[string]func())} //nolint:mnd // so that one never blocks all others
}

// take waits for a turn for a request of some size, and returns its id; "" for a small request, which needs none. The caller must call end, at the latest when
// the call is over. An error is that of ctx, or a ResourceExhausted fault with the reason REQUESTS_WAITING.
func (t *turns) take(ctx context.Context, size int) (id string, end func(), err error) {
	if size < largeRequest {
		return "", func() {}, nil
	}
	if err := t.wait(ctx, size); err != nil {
		return "", nil, err
	}
	id = rand.Text()
	end = sync.OnceFunc(func() {
		t.mu.Lock()
		delete(t.ends, id)
		t.mu.Unlock()
		<-t.free
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends[id] = end
	return id, end, nil
}

// wait waits in the line.
func (t *turns) wait(ctx context.Context, size int) error {
	leave, has := t.line.Take(sender(ctx), size)
	if leave == nil {
		return requestsWaiting(has)
	}
	defer leave()
	select {
	case t.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func requestsWaiting(has int) error {
	return retryLater(time.Second, "REQUESTS_WAITING",
		"this caller has %d bytes of large requests waiting to be read, and may not have more than are free for others; send fewer at a time, or retry later", has)
}

type senderKey struct{}

// nameSender puts the sender of a request into its context. The request stays the same one, in which the mux notes the pattern for those who observe it.
func nameSender(r *http.Request, who caller) {
	*r = *r.WithContext(context.WithValue(r.Context(), senderKey{}, who))
}

// sender returns the caller who sent a large request, whichever of its tokens that came with.
func sender(ctx context.Context) caller {
	if who, ok := ctx.Value(senderKey{}).(caller); ok {
		return who
	}
	if a := admissionOf(ctx); a != nil {
		return callerOf(a.caller)
	}
	p, _ := auth.FromContext(ctx)
	return callerOf(p)
}

// of returns what ends the turn of the HTTP request behind a call; nil when there is none. Nobody else can know its id.
func (t *turns) of(ctx context.Context) (end func()) {
	if len(t.free) == 0 { // the usual case
		return nil
	}
	ids := metadata.ValueFromIncomingContext(ctx, turnKey)
	if len(ids) != 1 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ends[ids[0]]
}

// takeOver is take for a call: one that comes with a turn needs no other.
func (t *turns) takeOver(ctx context.Context, size int) (end func(), err error) {
	if end := t.of(ctx); end != nil {
		return end, nil
	}
	_, end, err = t.take(ctx, size)
	return end, err
}

// done ends the turn of a call whose handler gets the request.
func (t *turns) done(ctx context.Context) {
	if end := t.of(ctx); end != nil {
		end()
	}
	if a := admissionOf(ctx); a != nil && a.endTurn != nil {
		a.endTurn()
	}
}

// TakeTurn waits until the body of a request, of which size bytes have been read, may be decoded. The call has to be made over Conn with the context that it
// returns. The caller must call end when the call is over. An error is that of ctx, or a ResourceExhausted fault with the reason REQUESTS_WAITING.
func (s *Server) TakeTurn(ctx context.Context, size int) (_ context.Context, end func(), err error) {
	id, end, err := s.turns.take(ctx, size)
	return withTurn(ctx, id), end, err
}

func withTurn(ctx context.Context, id string) context.Context {
	if id == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, turnKey, id)
}

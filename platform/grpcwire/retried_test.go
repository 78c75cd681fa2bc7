package grpcwire_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestACallWhoseAnswersHaveBegunIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *peer, id uint32){
		"refused": func(p *peer, id uint32) { _ = p.WriteRSTStream(id, http2.ErrCodeRefusedStream) },
		"left":    func(p *peer, id uint32) { _ = p.WriteGoAway(id-1, http2.ErrCodeNo, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			c := replying(t, func(p *peer, f http2.Frame) {
				if f, ok := f.(*http2.DataFrame); ok && f.StreamEnded() {
					calls.Add(1)
					p.answer(f.StreamID)
					end(p, f.StreamID)
				}
			})
			answers := 0
			err := c.Stream(t.Context(), ask(t, count, "1"), func([]byte) error { answers++; return nil })
			if status.Code(err) != codes.Unavailable || answers > 1 || calls.Load() != 1 {
				t.Errorf("Stream() = %v with %d answers and %d calls, want Unavailable after one", err, answers, calls.Load())
			}
		})
	}
}

func TestAnErrorOfTheReaderDoesNotRepeatTheCall(t *testing.T) {
	t.Parallel()
	calls := 0
	own := fmt.Errorf("the reader of the reader: %w", http2.StreamError{Code: http2.ErrCodeRefusedStream})
	err := servedByGRPC(t).Stream(t.Context(), ask(t, count, "3"), func([]byte) error { calls++; return own })
	if err != own || calls != 1 { //nolint:errorlint // as it is
		t.Errorf("Stream() = %v after %d answers, want the reader's error after one", err, calls)
	}
}

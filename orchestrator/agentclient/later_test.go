package agentclient_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// overloaded is an agent over gRPC that asks for messages later; a wait of zero is not told.
type overloaded struct {
	a2apb.UnimplementedA2AServiceServer
	wait time.Duration
}

func (a overloaded) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	s := status.New(codes.Unavailable, "too much to do")
	if a.wait != 0 {
		s, _ = s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(a.wait)}) // fails for OK only
	}
	return nil, s.Err()
}

// TestAnAgentThatAsksForAMessageLaterHasNotTakenIt tells such an agent from one that fails, which may have begun to work.
func TestAnAgentThatAsksForAMessageLaterHasNotTakenIt(t *testing.T) {
	t.Parallel()
	for asked, want := range map[time.Duration]time.Duration{0: 0, 7 * time.Second: 7 * time.Second, -time.Second: 0, 48 * time.Hour: 24 * time.Hour} {
		overHTTP := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(asked.Seconds())))
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		t.Cleanup(overHTTP.Close)
		for binding, url := range map[string]string{
			agentcard.BindingGRPC: serveGRPC(t, overloaded{wait: asked}), agentcard.BindingJSONRPC: overHTTP.URL, agentcard.BindingHTTPJSON: overHTTP.URL,
		} {
			c, _, err := pool(t).Connect("agent", agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: binding, ProtocolVersion: "1.0"}}})
			if err != nil {
				t.Fatal(err)
			}
			err = c.Send(t.Context(), message("m", "x"), false, func(*a2apb.StreamResponse) error { return nil })
			if f := fault.From(err); f == nil || f.Reason != agentclient.ReasonUnreachable || f.RetryAfter != want || agentclient.NotTaken(err) != (want > 0) {
				t.Errorf("Send() over %s with a wait of %s = %+v, want %s after %s", binding, asked, f, agentclient.ReasonUnreachable, want)
			}
		}
	}
}

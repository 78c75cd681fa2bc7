package agentclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

func (d denying) SendMessage(context.Context, *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return nil, status.Error(d.code, "no")
}

var kinds = map[string]fault.Kind{
	agentclient.ReasonUnreachable: fault.Unavailable, agentclient.ReasonTimeout: fault.DeadlineExceeded, agentclient.ReasonTaskNotFound: fault.NotFound,
	agentclient.ReasonRefused: fault.FailedPrecondition, agentclient.ReasonDenied: fault.FailedPrecondition,
}

// TestWhatAnErrorOfAnAgentMeans has agents answer with the errors of each binding.
func TestWhatAnErrorOfAnAgentMeans(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		binding string
		code    int
		words   string
		reason  string
	}{
		{agentcard.BindingJSONRPC, -32001, "no", agentclient.ReasonTaskNotFound},
		{agentcard.BindingJSONRPC, -32603, "Task not found", agentclient.ReasonTaskNotFound}, // as the A2A project's server for Python says it
		{agentcard.BindingJSONRPC, -32603, "no", agentclient.ReasonRefused},
		{agentcard.BindingJSONRPC, -32602, "Task not found", agentclient.ReasonRefused},
		{agentcard.BindingJSONRPC, -31401, "no", agentclient.ReasonDenied},
		{agentcard.BindingJSONRPC, -31403, "no", agentclient.ReasonDenied},
		{agentcard.BindingHTTPJSON, http.StatusUnauthorized, "no", agentclient.ReasonDenied},
		{agentcard.BindingHTTPJSON, http.StatusForbidden, "no", agentclient.ReasonDenied},
		{agentcard.BindingHTTPJSON, http.StatusRequestTimeout, "no", agentclient.ReasonTimeout},
		{agentcard.BindingHTTPJSON, http.StatusTooEarly, "no", agentclient.ReasonUnreachable},
		{agentcard.BindingHTTPJSON, http.StatusTooManyRequests, "no", agentclient.ReasonUnreachable},
		{agentcard.BindingHTTPJSON, http.StatusInternalServerError, "no", agentclient.ReasonRefused},
		{agentcard.BindingHTTPJSON, http.StatusBadGateway, "no", agentclient.ReasonUnreachable},
		{agentcard.BindingHTTPJSON, http.StatusServiceUnavailable, "no", agentclient.ReasonUnreachable},
		{agentcard.BindingHTTPJSON, http.StatusGatewayTimeout, "no", agentclient.ReasonTimeout},
		{agentcard.BindingGRPC, int(codes.Unavailable), "no", agentclient.ReasonUnreachable},
		{agentcard.BindingGRPC, int(codes.ResourceExhausted), "no", agentclient.ReasonUnreachable},
		{agentcard.BindingGRPC, int(codes.Aborted), "no", agentclient.ReasonUnreachable},
		{agentcard.BindingGRPC, int(codes.Canceled), "no", agentclient.ReasonUnreachable},
		{agentcard.BindingGRPC, int(codes.DeadlineExceeded), "no", agentclient.ReasonTimeout},
		{agentcard.BindingGRPC, int(codes.NotFound), "no", agentclient.ReasonTaskNotFound},
		{agentcard.BindingGRPC, int(codes.Unauthenticated), "no", agentclient.ReasonDenied},
		{agentcard.BindingGRPC, int(codes.PermissionDenied), "no", agentclient.ReasonDenied},
		{agentcard.BindingGRPC, int(codes.Internal), "no", agentclient.ReasonRefused},
	} {
		t.Run(fmt.Sprint(test.binding, " ", test.code, " ", test.words), func(t *testing.T) {
			t.Parallel()
			var url string
			if test.binding == agentcard.BindingGRPC {
				url = serveGRPC(t, denying{code: codes.Code(test.code)})
			} else {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if test.binding == agentcard.BindingHTTPJSON {
						http.Error(w, test.words, test.code)
						return
					}
					_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":"1","error":{"code":%d,"message":%q}}`, test.code, test.words)
				}))
				t.Cleanup(server.Close)
				url = server.URL
			}
			_, err := send(t, pool(t), false, agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: test.binding, ProtocolVersion: "1.0"}}})
			f := fault.From(err)
			if f.Reason != test.reason || f.Kind != kinds[test.reason] || !strings.HasSuffix(f.Message, ": "+test.words) {
				t.Errorf("Send() = %v of kind %v, want %s of kind %v, with the agent's words", err, f.Kind, test.reason, kinds[test.reason])
			}
			if told := fault.From(agentclient.WithoutWords(err)); told.Reason != test.reason || strings.Contains(told.Message, ": "+test.words) || !errors.Is(told, err) {
				t.Errorf("WithoutWords() = %v, want the same without the words, which are its cause", told)
			}
			if told := agentclient.Outline(err); told+": "+test.words != f.Message {
				t.Errorf("Outline() = %q, want %q without the words", told, f.Message)
			}
		})
	}
}

// TestWhatTheNetworkSaysIsNoWordOfTheAgent has connections fail in the ways of a network, and in one that may quote what came over it.
func TestWhatTheNetworkSaysIsNoWordOfTheAgent(t *testing.T) {
	t.Parallel()
	const why = "this is why"
	for name, test := range map[string]struct {
		err  error
		held bool
	}{
		"nobody listens": {&net.OpError{Op: "dial", Net: "tcp", Err: errors.New(why)}, false},
		"no such name":   {&net.DNSError{Err: why, Name: "agent"}, false},
		"it ends":        {fmt.Errorf("%s: %w", why, io.EOF), false},
		"it breaks off":  {fmt.Errorf("%s: %w", why, io.ErrUnexpectedEOF), false},
		"it is not HTTP": {errors.New(why), true},
	} {
		dial := func(context.Context, string, string) (net.Conn, error) { return nil, test.err }
		p := agentclient.NewPool(dial, &http.Client{Transport: &http.Transport{DialContext: dial}}, nil)
		t.Cleanup(p.Close)
		for _, binding := range []string{agentcard.BindingGRPC, agentcard.BindingJSONRPC} {
			_, err := send(t, p, false, agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://agent", Binding: binding, ProtocolVersion: "1.0"}}})
			if fault.ReasonOf(err) != agentclient.ReasonUnreachable || !strings.Contains(fault.From(err).Message, why) {
				t.Errorf("%s over %s: Send() = %v, want %s and why", name, binding, err, agentclient.ReasonUnreachable)
			}
			if told := fault.From(agentclient.WithoutWords(err)).Message; strings.Contains(told, why) == test.held {
				t.Errorf("%s over %s: WithoutWords() says %q, want it held back: %t", name, binding, told, test.held)
			}
			if told := agentclient.Outline(err); strings.Contains(told, why) == test.held {
				t.Errorf("%s over %s: Outline() = %q, want it held back: %t", name, binding, told, test.held)
			}
		}
	}
}

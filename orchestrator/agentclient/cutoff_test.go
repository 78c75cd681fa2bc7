package agentclient_test

import (
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestAStreamOfGRPCThatIsCutIsNoRefusal has something cut the streams of an agent, as a proxy does with those that are open for long. That is no answer
// of the agent, which can still be asked for the task.
func TestAStreamOfGRPCThatIsCutIsNoRefusal(t *testing.T) {
	t.Parallel()
	event, err := proto.Marshal(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Task{Task: &a2apb.Task{Id: "t"}}})
	if err != nil {
		t.Fatal(err)
	}
	frame := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(event))), event...)
	for name, test := range map[string]struct {
		end    func(http.ResponseWriter)
		reason string
		says   bool // it is what the agent says
	}{
		"a reset":     {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, agentclient.ReasonUnreachable, false},
		"no trailers": {func(http.ResponseWriter) {}, agentclient.ReasonUnreachable, false},
		"its own words": {func(w http.ResponseWriter) {
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "13")
			w.Header().Set(http.TrailerPrefix+"Grpc-Message", "boom")
		}, agentclient.ReasonRefused, true},
		"more words than are read": {func(w http.ResponseWriter) { // which would be as many another time, after the same work
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "13")
			w.Header().Set(http.TrailerPrefix+"Grpc-Message", strings.Repeat("x", 40<<10))
			w.Header().Set(http.TrailerPrefix+"Trace", strings.Repeat("y", 40<<10))
		}, agentclient.ReasonAnswerInvalid, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/grpc")
				_, _ = w.Write(frame)
				_ = http.NewResponseController(w).Flush()
				test.end(w)
			}))
			server.Config.Protocols = new(http.Protocols)
			server.Config.Protocols.SetUnencryptedHTTP2(true)
			server.Start()
			t.Cleanup(server.Close)
			card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: strings.TrimPrefix(server.URL, "http://"), Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"}}}
			p := pool(t)
			c, _, err := p.Connect("agent", card)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			err = c.Send(t.Context(), message("m", "hello"), true, func(r *a2apb.StreamResponse) error { got = r.GetTask().GetId(); return nil })
			if fault.ReasonOf(err) != test.reason || got != "t" {
				t.Errorf("Send() = %v after task %q, want %s after task t", err, got, test.reason)
			}
			err = p.PassageOverGRPC("agent", &card).Stream(t.Context(), a2apb.A2AService_SendStreamingMessage_FullMethodName, &emptypb.Empty{}, func() {}, func(*emptypb.Empty) error { return nil })
			if _, relayed := errors.AsType[*rpcfault.RelayedError](err); err == nil || relayed != test.says {
				t.Errorf("Stream() = %v, want an error that is passed on as the agent's: %t", err, test.says)
			}
		})
	}
}

package agentclient_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// largeAnswers are answers of more than 64 KiB in each form.
var largeAnswers = map[string]struct {
	binding, version, mediaType string
	stream, passage             bool
	around                      func(text string) (begin, end string)
}{
	"JSON-RPC":  {"JSONRPC", "1.0", "application/json", false, false, between(`{"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"`, `"}}}`)},
	"HTTP+JSON": {"HTTP+JSON", "1.0", "application/json", false, false, between(`{"message":{"messageId":"`, `"}}`)},
	"A2A 0.3": {
		"JSONRPC", "0.3.0", "application/json", false, false,
		between(`{"jsonrpc":"2.0","id":"1","result":{"kind":"message","role":"agent","parts":[],"messageId":"`, `"}}`),
	},
	"gRPC":                {agentcard.BindingGRPC, "1.0", "application/grpc", false, false, framed},
	"a passage":           {agentcard.BindingJSONRPC, "1.0", "application/json", false, true, between(`{"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"`, `"}}}`)},
	"a passage over gRPC": {agentcard.BindingGRPC, "1.0", "application/grpc", false, true, framed},
	"an event": {
		"JSONRPC", "1.0", "text/event-stream", true, false,
		between(`data: {"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"`, `"}}}`+"\n\n"),
	},
	"an HTTP+JSON event":     {"HTTP+JSON", "1.0", "text/event-stream", true, false, between(`data: {"message":{"messageId":"`, `"}}`+"\n\n")},
	"a message of a stream":  {agentcard.BindingGRPC, "1.0", "application/grpc", true, false, framed},
	"a message of a passage": {agentcard.BindingGRPC, "1.0", "application/grpc", true, true, framed},
}

// between returns a function that returns what stands before and behind the text.
func between(begin, end string) func(string) (string, string) {
	return func(text string) (string, string) { return begin + text, end }
}

// framed returns all but the last byte of a message of gRPC with the text, and that byte. It is a SendMessageResponse as well as a StreamResponse.
func framed(text string) (begin, end string) {
	message, err := proto.Marshal(&a2apb.SendMessageResponse{Payload: &a2apb.SendMessageResponse_Message{Message: &a2apb.Message{MessageId: text}}})
	if err != nil {
		panic(err)
	}
	all := string(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))) + string(message)
	return all[:len(all)-1], all[len(all)-1:]
}

const largeText = 100 << 10

// TestLargeAnswersWaitInLine has an agent answer more calls than may be received at a time, and not end any answer.
func TestLargeAnswersWaitInLine(t *testing.T) {
	t.Parallel()
	for name := range largeAnswers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { waitInLine(t, name) })
		})
	}
}

func waitInLine(t *testing.T, name string) {
	t.Helper()
	const calls = 20
	var received atomic.Int64 // answers of the slow agent, but for their end
	var small atomic.Bool     // what it answers from now on
	call := largeCaller(t, name, &received, &small)
	ended := make(chan error, calls)
	for range calls {
		go func() { ended <- call(t.Context(), "slow") }()
	}
	synctest.Wait()
	if n := received.Load(); n != 16 {
		t.Errorf("%d answers of one agent are received at a time, want 16", n)
	}
	leaves, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- call(leaves, "slow") }()
	synctest.Wait()
	if leave(); !errors.Is(<-left, context.Canceled) {
		t.Error("a call that ends in the line does not say so")
	}
	hurry, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if err := call(hurry, "slow"); fault.ReasonOf(err) != agentclient.ReasonTimeout || !strings.Contains(err.Error(), "in line") {
		t.Errorf("Send() whose time is over in the line = %v, want %s", err, agentclient.ReasonTimeout)
	}
	for _, host := range []string{"other", "slow"} { // before those in the line have a place
		small.Store(host == "slow")
		soon, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := call(soon, host); err != nil {
			t.Errorf("Send() to the %s agent, with an answer that is small: %t, = %v, want its answer", host, small.Load(), err)
		}
	}
	<-time.After(time.Minute)
	synctest.Wait()
	if n := received.Load(); n != calls {
		t.Errorf("%d answers were received after those before them took too long, want %d", n, calls)
	}
	for range calls {
		if err := <-ended; fault.ReasonOf(err) != agentclient.ReasonTimeout || !strings.Contains(err.Error(), "within 1m0s") || !agentclient.Retryable(err) {
			t.Errorf("Send() to an agent that does not end its answer = %v, want %s", err, agentclient.ReasonTimeout)
		}
	}
}

// largeCaller returns a function that calls an agent, whose answer has a form of largeAnswers: "slow", which does not end its answer unless that is small, or
// "other". Before the last event of a stream there is another one.
func largeCaller(t *testing.T, name string, received *atomic.Int64, small *atomic.Bool) func(ctx context.Context, host string) error {
	t.Helper()
	form := largeAnswers[name]
	p := pipedPool(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", form.mediaType)
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		text := strings.Repeat("x", largeText)
		if small.Load() {
			text = "x"
		}
		begin, end := form.around(text)
		if form.stream {
			_, _ = io.WriteString(w, begin+end)
		}
		_, _ = io.WriteString(w, begin)
		taken := http.NewResponseController(w).Flush()
		if r.Host == "slow" && text != "x" && taken == nil {
			received.Add(1)
			<-r.Context().Done()
		}
		_, _ = io.WriteString(w, end)
	})
	return func(ctx context.Context, host string) error {
		card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://" + host, Binding: form.binding, ProtocolVersion: form.version}}}
		switch {
		case form.passage && form.stream:
			return p.PassageOverGRPC(host, &card).Stream(ctx, a2apb.A2AService_SendStreamingMessage_FullMethodName, &emptypb.Empty{}, func() {}, func(*emptypb.Empty) error { return nil })
		case form.passage && form.binding == agentcard.BindingGRPC:
			_, err := p.PassageOverGRPC(host, &card).Invoke(ctx, a2apb.A2AService_SendMessage_FullMethodName, &emptypb.Empty{})
			return err
		case form.passage:
			_, err := post(ctx, p.PassageOverJSONRPC(host, &card), "{}")
			return err
		}
		c, _, err := p.Connect(host, card)
		if err != nil {
			return err
		}
		return c.Send(ctx, message("m", "hello"), form.stream, func(*a2apb.StreamResponse) error { return nil })
	}
}

// TestAStreamHasNoPlaceBetweenEvents has more streams than large events may be received at a time, each with one.
func TestAStreamHasNoPlaceBetweenEvents(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"an event", "a message of a stream"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { betweenEvents(t, name) })
		})
	}
}

func betweenEvents(t *testing.T, name string) {
	t.Helper()
	form := largeAnswers[name]
	p := pipedPool(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", form.mediaType)
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
		for range 2 {
			begin, end := form.around(strings.Repeat("x", largeText))
			_, _ = io.WriteString(w, begin+end)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Hour):
			}
		}
	})
	c, _, err := p.Connect("a", agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://a", Binding: form.binding, ProtocolVersion: form.version}}})
	if err != nil {
		t.Fatal(err)
	}
	const streams = 40
	var events atomic.Int64
	ended := make(chan error, streams)
	for range streams {
		go func() {
			ended <- c.Send(t.Context(), message("m", "hello"), true, func(*a2apb.StreamResponse) error { events.Add(1); return nil })
		}()
	}
	synctest.Wait()
	if n := events.Load(); n != streams {
		t.Errorf("%d events were received of %d streams that stay open", n, streams)
	}
	for range streams {
		if err := <-ended; err != nil {
			t.Errorf("Send() = %v, want nil", err)
		}
	}
	if n := events.Load(); n != 2*streams {
		t.Errorf("%d events were received of %d", n, 2*streams)
	}
}

// TestWhoReadsSlowlyHasNoPlace has callers take large answers, and hold up more of them than have places.
func TestWhoReadsSlowlyHasNoPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pipedPool(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
			begin, end := framed(strings.Repeat("x", largeText))
			_, _ = io.WriteString(w, begin+end)
		})
		const callers = 40
		way := p.PassageOverGRPC("a", &agentcard.Card{Interfaces: []agentcard.Interface{{URL: "http://a", Binding: agentcard.BindingGRPC}}})
		ended, read := make(chan error, callers), make(chan struct{})
		var held atomic.Int64
		for range callers {
			go func() {
				ended <- way.Stream(t.Context(), a2apb.A2AService_SendStreamingMessage_FullMethodName, &emptypb.Empty{}, func() {}, func(*emptypb.Empty) error {
					held.Add(1)
					<-read
					return nil
				})
			}()
		}
		synctest.Wait()
		if n := held.Load(); n != callers {
			t.Errorf("%d answers are held by slow callers, want all %d", n, callers)
		}
		close(read)
		for range callers {
			if err := <-ended; err != nil {
				t.Errorf("Stream() = %v, want nil", err)
			}
		}
	})
}

// pipedPool returns a pool whose connections, to whatever host, lead to handler without a network, so that what is not read is not sent either.
func pipedPool(t *testing.T, handler http.HandlerFunc) *agentclient.Pool {
	t.Helper()
	accepted := pipes(make(chan net.Conn))
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = server.Serve(accepted) }()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		here, there := net.Pipe()
		select {
		case accepted <- there:
			return here, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	p := agentclient.NewPool(dial, &http.Client{Transport: &http.Transport{DialContext: dial}}, nil)
	t.Cleanup(func() {
		p.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// pipes is a listener.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.UnixAddr{} }

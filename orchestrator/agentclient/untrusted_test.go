package agentclient_test

import (
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry/agentcard"
)

// TestNobodyAtTheAddress calls an agent whose address nobody listens at, over each binding: the error says where that is once, beside the agent's URL.
func TestNobodyAtTheAddress(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(open{})
	closed.Close()
	addr := closed.Listener.Addr().String()
	guard := &netguard.Policy{AllowLoopback: true}
	p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), nil)
	t.Cleanup(p.Close)
	for _, binding := range []string{agentcard.BindingGRPC, agentcard.BindingJSONRPC, agentcard.BindingHTTPJSON} {
		for _, scheme := range []string{"http://", "https://"} {
			_, err := send(t, p, false, agentcard.Card{Interfaces: []agentcard.Interface{{URL: scheme + addr, Binding: binding}}})
			if f := fault.From(err); fault.ReasonOf(err) != agentclient.ReasonUnreachable || strings.Count(f.Message, addr) != 2 || strings.Count(err.Error(), addr) != 2 {
				t.Errorf("Send() to %s over %s = %v, want %s that has the address twice", scheme, binding, err, agentclient.ReasonUnreachable)
			}
		}
	}
}

// TestTheNamesInACertificateAreWordsOfTheAgent calls an agent that shows a certificate for example.com, over each binding.
func TestTheNamesInACertificateAreWordsOfTheAgent(t *testing.T) {
	t.Parallel()
	h := httptest.NewTLSServer(open{})
	t.Cleanup(h.Close)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&h.TLS.Certificates[0])))
	a2apb.RegisterA2AServiceServer(s, open{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	guard := &netguard.Policy{AllowLoopback: true}
	p := agentclient.NewPool(guard.DialContext, guard.Client(netguard.ClientOptions{}), nil)
	t.Cleanup(p.Close)
	byName := strings.NewReplacer("127.0.0.1", "localhost")
	for _, in := range []agentcard.Interface{
		{URL: "https://" + l.Addr().String(), Binding: agentcard.BindingGRPC}, {URL: h.URL, Binding: agentcard.BindingJSONRPC}, {URL: h.URL, Binding: agentcard.BindingHTTPJSON},
	} {
		in.URL = byName.Replace(in.URL)
		_, err := send(t, p, false, agentcard.Card{Interfaces: []agentcard.Interface{in}})
		if fault.ReasonOf(err) != agentclient.ReasonUnreachable || !strings.Contains(err.Error(), "example.com") {
			t.Errorf("Send() over %s = %v, want %s and what is wrong with the certificate", in.Binding, err, agentclient.ReasonUnreachable)
		}
		held := agentclient.WithoutWords(err)
		if told := fault.From(held).Message; strings.Contains(told, "example.com") || !strings.Contains(told, "could not be reached; its words are held back") {
			t.Errorf("over %s WithoutWords() says %q, want it without the names", in.Binding, told)
		}
		if sent := in.Binding == agentcard.BindingGRPC; agentclient.NotTaken(held) != sent {
			t.Errorf("over %s NotTaken() = %t, want %t", in.Binding, !sent, sent)
		}
	}
}

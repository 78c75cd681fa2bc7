package agentclient_test

import (
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/registry/agentcard"
)

// thoughtful is an agent that takes calls at once, and answers once it may.
type thoughtful struct {
	a2apb.UnimplementedA2AServiceServer

	may chan struct{}
}

func (a *thoughtful) SendStreamingMessage(_ *a2apb.SendMessageRequest, s grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	if err := s.SendHeader(nil); err != nil {
		return err
	}
	select {
	case <-a.may:
	case <-s.Context().Done():
		return s.Context().Err()
	}
	return s.Send(&a2apb.StreamResponse{Payload: &a2apb.StreamResponse_Message{Message: hello}})
}

// TestAStreamIsKnownToBeOpenBeforeItsFirstAnswer has an agent answer only once it is known that it has taken the call.
func TestAStreamIsKnownToBeOpenBeforeItsFirstAnswer(t *testing.T) {
	t.Parallel()
	authority := certtest.NewAuthority(t)
	own := authority.Issue(t, "quorate")
	demands := credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "agent").Pair}})
	for scheme, options := range map[string][]grpc.ServerOption{"http": nil, "https": {grpc.Creds(demands)}} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			agent, s := &thoughtful{may: make(chan struct{})}, grpc.NewServer(options...)
			a2apb.RegisterA2AServiceServer(s, agent)
			go func() { _ = s.Serve(l) }()
			t.Cleanup(s.Stop)
			url := scheme + "://" + l.Addr().String()
			p := showingWhat(t, "{origin: '"+url+"', bearer: {token: 'file:"+writeFile(t, filepath.Join(t.TempDir(), "token"), "x")+"'}}")
			if scheme == "https" {
				p = showingWhat(t, "{origin: '"+url+"', mutualTLS: {certFile: "+own.CertFile+", keyFile: "+own.KeyFile+", caFile: "+authority.CertFile+"}}")
			}
			way := p.PassageOverGRPC("agent", &agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: agentcard.BindingGRPC}}})
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			answers := 0
			err = way.Stream(ctx, a2apb.A2AService_SendStreamingMessage_FullMethodName, &emptypb.Empty{}, func() { close(agent.may) }, func(*emptypb.Empty) error {
				answers++
				return nil
			})
			if err != nil || answers != 1 {
				t.Errorf("Stream() = %v with %d answers, want one, after word that the stream is open", err, answers)
			}
		})
	}
}

package e2e_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// sdkAgent is an agent as a2a-go's users write it, which answers as plainAgent does.
type sdkAgent struct{}

func (sdkAgent) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		answer := a2a.NewMessage(a2a.MessageRoleAgent, x.Message.Parts...)
		answer.ID = "answer"
		yield(answer, nil)
	}
}

func (sdkAgent) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) { yield(nil, a2a.ErrTaskNotCancelable) }
}

// serve serves until the process is killed.
func (a sdkAgent) serve(over listeners) error {
	handler := a2asrv.NewHandler(a)
	server := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(server)
	go func() { _ = http.Serve(over[1], a2asrv.NewJSONRPCHandler(handler)) }()
	return server.Serve(over[0])
}

// sendSDK sends what sendGRPC and sendJSONRPC send, with a2a-go's client.
func sendSDK(tb testing.TB, binding a2a.TransportProtocol, url, tenant, token string) call {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	http := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	client, err := a2aclient.NewFromEndpoints(ctx, []*a2a.AgentInterface{{URL: url, ProtocolBinding: binding, ProtocolVersion: a2a.Version, Tenant: tenant}},
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())), a2aclient.WithJSONRPCTransport(http),
		a2aclient.WithCallInterceptors(shows(token)))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		http.CloseIdleConnections()
		if err := client.Destroy(); err != nil {
			tb.Error(err)
		}
	})
	return func() error {
		message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("hello"))
		got, err := client.SendMessage(ctx, &a2a.SendMessageRequest{Tenant: tenant, Message: message})
		if answer, ok := got.(*a2a.Message); err == nil && (!ok || answer.ID != "answer") {
			return fmt.Errorf("the answer is %+v", got)
		}
		return err
	}
}

// shows is how a2a-go's client shows a token.
type shows string

func (s shows) Before(ctx context.Context, req *a2aclient.Request) (context.Context, any, error) {
	req.ServiceParams.Append("authorization", "Bearer "+string(s))
	return ctx, nil, nil
}

func (shows) After(context.Context, *a2aclient.Response) error { return nil }

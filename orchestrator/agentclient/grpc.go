package agentclient

import (
	"context"
	"errors"
	"io"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.opentelemetry.io/otel/propagation"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// grpcClient speaks the gRPC binding.
type grpcClient struct {
	where  string
	tenant string
	stub   a2apb.A2AServiceClient
}

func (c *grpcClient) Send(ctx context.Context, m *a2apb.Message, stream bool, each Each) error {
	ctx = outgoing(ctx)
	req := sendRequest(c.tenant, m, stream)
	if !stream {
		resp, err := c.stub.SendMessage(ctx, req)
		if err != nil {
			return fromGRPC(c.where, err)
		}
		return each(asStream(resp))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := c.stub.SendStreamingMessage(ctx, req)
	if err != nil {
		return fromGRPC(c.where, err)
	}
	return c.receive(s, each)
}

func (c *grpcClient) Subscribe(ctx context.Context, taskID string, each Each) error {
	ctx, cancel := context.WithCancel(outgoing(ctx))
	defer cancel()
	s, err := c.stub.SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Tenant: c.tenant, Id: taskID})
	if err != nil {
		return fromGRPC(c.where, err)
	}
	return c.receive(s, each)
}

func (c *grpcClient) receive(s grpc.ServerStreamingClient[a2apb.StreamResponse], each Each) error {
	for {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fromGRPC(c.where, err)
		}
		if err := each(r); err != nil {
			return err
		}
	}
}

func (c *grpcClient) Task(ctx context.Context, taskID string) (*a2apb.Task, error) {
	t, err := c.stub.GetTask(outgoing(ctx), &a2apb.GetTaskRequest{Tenant: c.tenant, Id: taskID})
	return t, fromGRPC(c.where, err)
}

func (c *grpcClient) Cancel(ctx context.Context, taskID string) (*a2apb.Task, error) {
	t, err := c.stub.CancelTask(outgoing(ctx), &a2apb.CancelTaskRequest{Tenant: c.tenant, Id: taskID})
	return t, fromGRPC(c.where, err)
}

// outgoing adds A2A's service parameters (A2A §3.2.6) and the trace context.
func outgoing(ctx context.Context) context.Context {
	p := append(make(pairs, 0, 8), "a2a-version", version, "a2a-extensions", extensions) //nolint:mnd // as many as there are with a trace and its state
	propagation.TraceContext{}.Inject(ctx, &p)
	return metadata.AppendToOutgoingContext(ctx, p...)
}

// pairs are metadata to send, and a carrier of the trace context for every request: a map would cost more than the rest.
type pairs []string

// Set adds a pair.
func (p *pairs) Set(key, value string) { *p = append(*p, key, value) }

// Get returns nothing: nothing is read from what is sent.
func (*pairs) Get(string) string { return "" }

// Keys returns nothing, as Get.
func (*pairs) Keys() []string { return nil }

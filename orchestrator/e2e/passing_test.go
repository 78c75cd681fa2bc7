package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// TestCallsThatPassShareAConnectionWithAllOthers makes calls of every kind over one connection, whichever comes first: those that pass have a transport of
// their own.
func TestCallsThatPassShareAConnectionWithAllOthers(t *testing.T) {
	t.Parallel()
	i := start(t, t.TempDir(), "--pass-through", "plain")
	serveAgent(t, i, "agent", "plain", false)
	kinds := map[string]func(context.Context, *grpc.ClientConn) error{
		"passes": func(ctx context.Context, c *grpc.ClientConn) error { return sendThrough(ctx, c, "plain", "hello") },
		"large": func(ctx context.Context, c *grpc.ClientConn) error {
			return sendThrough(ctx, c, "plain", strings.Repeat("x", 1<<20))
		},
		"tracked":    tracked,
		"registry":   listAgents,
		"health":     healthy,
		"reflection": reflects,
	}
	kinds["without a token"] = func(ctx context.Context, c *grpc.ClientConn) error {
		if err := sendThrough(metadata.NewOutgoingContext(ctx, nil), c, "plain", "hello"); status.Code(err) != codes.Unauthenticated {
			return fmt.Errorf("SendMessage() = %w, want Unauthenticated", err)
		}
		return nil
	}
	for first, begin := range kinds {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			conn, err := grpc.NewClient(i.ports.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+i.token(), "a2a-version", "1.0")
			if err := begin(ctx, conn); err != nil {
				t.Fatalf("%s as the first call = %v, want no error", first, err)
			}
			var all sync.WaitGroup
			for name, call := range kinds {
				for range 10 {
					all.Go(func() {
						if err := call(ctx, conn); err != nil {
							t.Errorf("%s after %s = %v, want no error", name, first, err)
						}
					})
				}
			}
			all.Wait()
		})
	}
}

func sendThrough(ctx context.Context, c *grpc.ClientConn, agent, text string) error {
	_, err := a2apb.NewA2AServiceClient(c).SendMessage(ctx, &a2apb.SendMessageRequest{Tenant: agent, Message: &a2apb.Message{
		MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}},
	}})
	return err
}

// tracked lists the tasks of Quorate, which no call that passes does.
func tracked(ctx context.Context, c *grpc.ClientConn) error {
	_, err := a2apb.NewA2AServiceClient(c).ListTasks(ctx, &a2apb.ListTasksRequest{})
	return err
}

func listAgents(ctx context.Context, c *grpc.ClientConn) error {
	_, err := registryv1.NewRegistryServiceClient(c).ListAgents(ctx, &registryv1.ListAgentsRequest{})
	return err
}

func healthy(ctx context.Context, c *grpc.ClientConn) error {
	_, err := grpc_health_v1.NewHealthClient(c).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return err
}

func reflects(ctx context.Context, c *grpc.ClientConn) error {
	stream, err := grpc_reflection_v1.NewServerReflectionClient(c).ServerReflectionInfo(ctx)
	if err != nil {
		return err
	}
	for _, request := range []*grpc_reflection_v1.ServerReflectionRequest{
		{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{}},
		{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "lf.a2a.v1.A2AService"}},
	} {
		if err := stream.Send(request); err != nil {
			return err
		}
		if _, err := stream.Recv(); err != nil {
			return err
		}
	}
	return stream.CloseSend()
}

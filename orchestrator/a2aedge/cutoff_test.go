package a2aedge_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/telemetry"
)

// TestAMessageIsAnsweredThoughItsServerStops has one wait for a task that does not end while its server stops.
func TestAMessageIsAnsweredThoughItsServerStops(t *testing.T) {
	t.Parallel()
	answeredWhen(t, func(_ *auth.Keyring, stop func()) { stop() }, orchestrator.PhasePreCompletion)
}

// TestAMessageIsAnsweredThoughItsCallerIsGone has the key be taken away of whoever waits: the answer has the id, by which the task can be asked for with another
// key, and nothing that came since.
func TestAMessageIsAnsweredThoughItsCallerIsGone(t *testing.T) {
	t.Parallel()
	answeredWhen(t, func(ring *auth.Keyring, _ func()) { ring.Remove("token") }, orchestrator.PhaseExecution)
}

// answeredWhen has a message wait for a task that gets into another phase and does not end, and then something happen. It expects an answer with the task in the
// phase that it wants.
func answeredWhen(t *testing.T, happens func(ring *auth.Keyring, stop func()), want orchestrator.Phase) {
	t.Helper()
	tel, err := telemetry.Setup(t.Context(), telemetry.Config{LogWriter: t.Output(), LogLevel: "error"})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		store := new(storetest.Memory)
		if _, _, err := store.Create(t.Context(), orchestrator.Task{
			Tenant: "default", ID: "1", Owner: "ana", Agent: "echo", State: a2apb.TaskState_TASK_STATE_INPUT_REQUIRED, Phase: orchestrator.PhaseExecution,
			Attempts: []orchestrator.Attempt{{Number: 1, Agent: "echo", RemoteTaskID: "r"}},
		}); err != nil {
			t.Fatal(err)
		}
		service, _ := serviceOver(t, store)
		ring, l := auth.NewKeyring(), bufconn.Listen(64<<10)
		ring.Add("token", auth.Principal{Name: "ana", Tenant: "default", Roles: []auth.Role{auth.RoleDispatcher}})
		server, err := rpcserver.New(rpcserver.Options{Telemetry: tel, Authenticator: ring, Rules: a2aedge.Rules(), GRPCListener: l})
		if err != nil {
			t.Fatal(err)
		}
		a2apb.RegisterA2AServiceServer(server.GRPC(), service)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- server.Run(ctx) }()
		conn, err := grpc.NewClient("passthrough:///quorate", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
		if err != nil {
			t.Fatal(err)
		}
		caller := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer token", "a2a-version", a2aedge.Version)
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			got, err := a2apb.NewA2AServiceClient(conn).SendMessage(caller, &a2apb.SendMessageRequest{Message: &a2apb.Message{
				MessageId: "m", TaskId: "1", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}},
			}})
			task := got.GetTask()
			if err != nil || task.GetId() != "1" || orchestrator.Interrupted(task.GetStatus().GetState()) || phaseOf(task) != want {
				t.Errorf("SendMessage() = %v, %v, want the task in phase %s", got, err, want)
			}
		}()
		synctest.Wait() // until the message waits for its task
		if _, err := store.Update(t.Context(), orchestrator.Key{Tenant: "default", ID: "1"}, func(now *orchestrator.Task) ([]orchestrator.Event, error) {
			now.Phase = orchestrator.PhasePreCompletion
			return nil, nil
		}); err != nil {
			t.Fatal(err)
		}
		<-time.After(10*time.Second + time.Millisecond) // until it has been read, and not just when it is read again
		happens(ring, stop)
		<-answered
		stop()
		if err := conn.Close(); err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
		if err := <-done; err != nil {
			t.Errorf("Run() = %v, want no error", err)
		}
	})
}

func phaseOf(task *a2apb.Task) orchestrator.Phase {
	return orchestrator.Phase(task.GetMetadata().GetFields()[a2aedge.TaskExtension].GetStructValue().GetFields()["phase"].GetStringValue())
}

// TestACallThatPassesIsAnsweredThoughItsServerStops has an agent take longer than a server that stops waits for it. It takes eight seconds.
func TestACallThatPassesIsAnsweredThoughItsServerStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, passAll)
	begun := make(chan struct{}, len(bindings))
	cfg := echo.New().Config()
	cfg.Name, cfg.Handler = "slow", func(ctx context.Context, _ *kit.Task) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	w.addAgent(t, cfg, nil)
	var calls sync.WaitGroup
	for _, binding := range bindings {
		c := w.client(t, "/agents/slow", binding)
		calls.Go(func() {
			got, err := c.SendMessage(w.ctx, &a2a.SendMessageRequest{Message: text("hi", nil)})
			if err == nil || !strings.Contains(err.Error(), "the server stops before this call was answered") {
				t.Errorf("SendMessage() over %s = %v, %v, want to be told that the server stops", binding, got, err)
			}
		})
	}
	for range bindings {
		<-begun
	}
	w.stop()
	calls.Wait()
}

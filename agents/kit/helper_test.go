package kit_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/quorate/quorate/agents/kit"
)

// TestMain fails when a test leaves a goroutine behind: an agent waits for whatever it starts.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 10 * time.Second // for a condition that should hold at once

// echo answers the text back.
func echo(ctx context.Context, t *kit.Task) error {
	return t.AddArtifact(ctx, kit.Artifact{Name: "echo", MediaType: "text/plain", Text: t.Text()})
}

// hang runs until it is canceled.
func hang(ctx context.Context, t *kit.Task) error {
	if err := t.Progress(ctx, "hanging"); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("Listen() = %v, want a listener", err)
	}
	return listener
}

// start runs an agent until the test ends or stop is called; stop returns what Run returned.
func start(t *testing.T, c kit.Config) (agent *kit.Agent, stop func() error) {
	t.Helper()
	c.Listener = listen(t)
	if c.Name == "" {
		c.Name = "agent-under-test"
	}
	c.Description, c.Version = "An agent for tests.", "1.2.3"
	agent, err := kit.New(c)
	if err != nil {
		t.Fatalf("New() = %v, want an agent", err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- agent.Run(ctx) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-done
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Run() = %v, want nil after a stop", err)
		}
	})
	return agent, stop
}

// client returns a real A2A client for one of the agent's bindings.
func client(t *testing.T, agent *kit.Agent, binding a2a.TransportProtocol) *a2aclient.Client {
	t.Helper()
	card := agent.Card()
	var only []*a2a.AgentInterface
	for _, i := range card.SupportedInterfaces {
		if i.ProtocolBinding == binding {
			only = append(only, i)
		}
	}
	transport := &http.Transport{}
	web := &http.Client{Transport: transport}
	c, err := a2aclient.NewFromEndpoints(t.Context(), only,
		a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
		a2aclient.WithJSONRPCTransport(web), a2aclient.WithRESTTransport(web))
	if err != nil {
		t.Fatalf("NewFromEndpoints(%v) = %v, want a client", only, err)
	}
	t.Cleanup(func() {
		if err := c.Destroy(); err != nil {
			t.Errorf("Destroy() = %v, want nil", err)
		}
		transport.CloseIdleConnections()
	})
	return c
}

func request(message *a2a.Message) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: message}
}

func say(text string) *a2a.Message {
	return a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))
}

// send returns the task of a message when it has ended.
func send(t *testing.T, c *a2aclient.Client, message *a2a.Message) *a2a.Task {
	t.Helper()
	result, err := c.SendMessage(t.Context(), request(message))
	if err != nil {
		t.Fatalf("SendMessage(%s) = %v, want a task", message.ID, err)
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		t.Fatalf("SendMessage(%s) = %T, want a task", message.ID, result)
	}
	return task
}

func statusText(task *a2a.Task) string {
	if task.Status.Message == nil {
		return ""
	}
	return task.Status.Message.Parts[0].Text()
}

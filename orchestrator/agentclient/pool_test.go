package agentclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestConnectionsToURLsThatAreLeftDoNotPileUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refuse := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nobody is there") }
		p := agentclient.NewPool(refuse, new(http.Client), nil)
		defer p.Close()
		for n := range 3 {
			for i := range 1000 {
				card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: fmt.Sprintf("agent-%d.example:%d", n, 1000+i), Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"}}}
				if _, _, err := p.Connect("moves", card); err != nil {
					t.Fatalf("Connect() = %v", err)
				}
			}
			if got := p.Wires(); got != 1000 {
				t.Errorf("%d URLs are kept after an agent had %d of them, an hour for each 1,000, want those of the last hour", got, 1000*(n+1))
			}
			<-time.After(time.Hour)
		}
	})
}

func TestWhatIsKnownOfURLsThatAreLeftDoesNotPileUp(t *testing.T) {
	t.Parallel()
	refuse := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nobody is there") }
	p := agentclient.NewPool(refuse, new(http.Client), nil)
	t.Cleanup(p.Close)
	most := 0
	for n := range 2500 {
		if _, err := post(t.Context(), p.PassageOverJSONRPC("moves", cardOf(fmt.Sprintf("http://agent.example/%d", n))), "{}"); err == nil {
			t.Fatal("Post() = nil, want that there is no connection")
		}
		most = max(most, p.Sites())
	}
	if most != 1000 {
		t.Errorf("up to %d URLs are kept after an agent had 2,500 of them, want 1000", most)
	}
}

func TestCallsToAURLShareAConnection(t *testing.T) {
	t.Parallel()
	var d dials
	p := agentclient.NewPool(d.dial, new(http.Client), nil)
	t.Cleanup(p.Close)
	url := serveGRPC(t, answers{task: &a2apb.Task{Id: "t"}})
	for _, agent := range []string{"a", "a", "of the same process"} {
		c, _, err := p.Connect(agent, agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"}}})
		if err != nil {
			t.Fatalf("Connect() = %v", err)
		}
		if _, err := c.Task(t.Context(), "t", 0); err != nil {
			t.Errorf("Task() = %v, want the task", err)
		}
	}
	if got := len(d.all()); got != 1 {
		t.Errorf("%d connections were made for three calls, want one", got)
	}
}

// TestAnAddressWithoutAPortHasThatOfItsScheme calls agents by URLs as cards have them, over connections that cannot be made.
func TestAnAddressWithoutAPortHasThatOfItsScheme(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://agent.example": "agent.example:80", "https://agent.example": "agent.example:443",
		"agent.example": "agent.example:80", "http://[::1]": "[::1]:80", "http://agent.example:9000": "agent.example:9000", "agent.example:9000": "agent.example:9000",
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var dialed []string
			p := agentclient.NewPool(func(_ context.Context, _, addr string) (net.Conn, error) {
				mu.Lock()
				defer mu.Unlock()
				dialed = append(dialed, addr)
				return nil, errors.New("nobody is there")
			}, new(http.Client), nil)
			t.Cleanup(p.Close)
			card := agentcard.Card{Interfaces: []agentcard.Interface{{URL: url, Binding: agentcard.BindingGRPC, ProtocolVersion: "1.0"}}}
			c, _, err := p.Connect("agent", card)
			if err != nil {
				t.Fatalf("Connect() = %v", err)
			}
			if _, err := c.Task(t.Context(), "t", 0); !agentclient.NotTaken(err) {
				t.Errorf("Task() = %v, want that there is no connection", err)
			}
			if _, err := p.PassageOverGRPC("agent", &card).Invoke(t.Context(), "/lf.a2a.v1.A2AService/GetTask", &emptypb.Empty{}); err == nil {
				t.Error("Invoke() = nil, want that there is no connection")
			}
			mu.Lock()
			defer mu.Unlock()
			if slices.ContainsFunc(dialed, func(addr string) bool { return addr != want }) || len(dialed) == 0 {
				t.Errorf("dialed %q, want %q only", dialed, want)
			}
		})
	}
}

package agentclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/agentclient"
	"github.com/quorate/quorate/registry"
)

func TestConnectionsToURLsThatAreLeftDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nobody is there") }
		p := agentclient.NewPool(refuse, new(http.Client), nil)
		defer func() {
			if err := p.Close(); err != nil {
				t.Errorf("Close() = %v", err)
			}
		}()
		connect := func(n int) {
			t.Helper()
			for i := range 1000 {
				card := registry.Card{Interfaces: []registry.Interface{{URL: fmt.Sprintf("agent-%d.example:%d", n, 1000+i), Binding: registry.BindingGRPC, ProtocolVersion: "1.0"}}}
				if _, _, err := p.Connect("moves", card); err != nil {
					t.Fatalf("Connect() = %v", err)
				}
			}
		}
		connect(0)
		once := runtime.NumGoroutine()
		for n := range 5 {
			<-time.After(time.Hour)
			connect(n + 1)
		}
		synctest.Wait()
		if now := runtime.NumGoroutine(); now > once*3/2 {
			t.Errorf("%d goroutines for 1,000 URLs, and %d after an agent had 6,000 of them, want those gone that were left", once, now)
		}
	})
}

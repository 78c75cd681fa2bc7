package dev_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/orchestrator/dev"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// running is dev mode in this process.
type running struct {
	ctx  context.Context //nolint:containedctx // the caller's identity goes with it
	conn *grpc.ClientConn
	http string // base URL
	stop func()
}

// configIn is the configuration of dev mode on free ports, with all files in dir.
func configIn(dir string) dev.Config {
	cfg := dev.DefaultConfig()
	cfg.HTTP.Addr, cfg.GRPC.Addr, cfg.Webfetch.Addr = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	cfg.Webfetch.Browser = "off"
	cfg.Store.DataDir, cfg.PortsFile, cfg.Telemetry.LogLevel = filepath.Join(dir, "data"), filepath.Join(dir, "ports.json"), "error"
	return cfg
}

// start runs dev mode on the data in dir until stop or the end of the test.
func start(tb testing.TB, dir string) *running {
	tb.Helper()
	cfg := configIn(dir)
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ready := &signalWriter{done: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := dev.Run(ctx, cfg, ready, tb.Output()); err != nil {
			tb.Errorf("Run() = %v", err)
			ready.signal()
		}
	})
	r := &running{stop: sync.OnceFunc(func() { cancel(); wg.Wait() })}
	tb.Cleanup(r.stop)
	select {
	case <-ready.done:
	case <-time.After(30 * time.Second):
		tb.Fatal("dev mode is not ready after 30 s")
	}
	b, err := os.ReadFile(cfg.PortsFile)
	if err != nil {
		tb.Fatal(err)
	}
	var ports struct{ GRPC, HTTP string }
	if err := json.Unmarshal(b, &ports); err != nil {
		tb.Fatal(err)
	}
	token, err := os.ReadFile(dev.TokenFile(cfg.Store.DataDir))
	if err != nil {
		tb.Fatal(err)
	}
	r.http = ports.HTTP
	if r.conn, err = grpc.NewClient(ports.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := r.conn.Close(); err != nil {
			tb.Error(err)
		}
	})
	r.ctx = metadata.AppendToOutgoingContext(tb.Context(), "authorization", "Bearer "+strings.TrimSpace(string(token)))
	return r
}

// signalWriter signals the first write: dev mode prints its banner when it is ready.
type signalWriter struct {
	once sync.Once
	done chan struct{}
}

var _ io.Writer = (*signalWriter)(nil)

func (w *signalWriter) Write(p []byte) (int, error) { w.signal(); return len(p), nil }

func (w *signalWriter) signal() { w.once.Do(func() { close(w.done) }) }

// addEcho serves an echo agent and registers it.
func (r *running) addEcho(tb testing.TB) {
	tb.Helper()
	a := kittest.Start(tb, echo.New().Config())
	_, err := registryv1.NewRegistryServiceClient(r.conn).RegisterAgent(r.ctx, &registryv1.RegisterAgentRequest{
		Source: &registryv1.RegisterAgentRequest_CardUri{CardUri: a.CardURL()},
	})
	if err != nil {
		tb.Fatalf("RegisterAgent() = %v", err)
	}
}

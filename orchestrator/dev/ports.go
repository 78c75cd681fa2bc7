package dev

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/quorate/quorate/platform/fault"
)

// DemoAddr is where the demo site is on new data, if that port is free: documents can name it.
const DemoAddr = "127.0.0.1:9099"

// ports are the listeners of dev mode.
type ports struct {
	http, grpc, webfetch, reviewer, demo net.Listener
}

// remembered are the addresses of the last start with the same data. They are reused if a free port was asked for, so that the URLs in stored tasks
// and agents still work after a restart.
type remembered struct {
	HTTP     string `json:"http"`
	GRPC     string `json:"grpc"`
	Webfetch string `json:"webfetch"`
	Reviewer string `json:"reviewer"`
	Demo     string `json:"demo"`
}

func rememberedFile(dataDir string) string { return filepath.Join(dataDir, "ports.json") }

// listen opens all listeners.
func listen(ctx context.Context, cfg Config) (p *ports, err error) {
	var last remembered
	if b, err := os.ReadFile(rememberedFile(cfg.Store.DataDir)); err == nil {
		if err := json.Unmarshal(b, &last); err != nil {
			last = remembered{} // a convenience, not data: new ports will do
		}
	}
	p = &ports{}
	for _, l := range []struct {
		to         *net.Listener
		what, flag string
		addr, last string
	}{
		{&p.http, "HTTP", "--http-addr", cfg.HTTP.Addr, last.HTTP},
		{&p.grpc, "gRPC", "--grpc-addr", cfg.GRPC.Addr, last.GRPC},
		{&p.webfetch, "the web-fetch agent", "--webfetch-addr", cfg.Webfetch.Addr, last.Webfetch},
		{&p.reviewer, "the reviewer", "", "127.0.0.1:0", last.Reviewer},
		{&p.demo, "the demo site", "", "127.0.0.1:0", cmp.Or(last.Demo, DemoAddr)},
	} {
		if *l.to, err = open(ctx, l.what, l.flag, l.addr, l.last); err != nil {
			return nil, errors.Join(err, p.close())
		}
	}
	return p, nil
}

// remember keeps the addresses for the next start with the same data.
func (p *ports) remember(dataDir string) error {
	b, err := json.Marshal(remembered{p.http.Addr().String(), p.grpc.Addr().String(), p.webfetch.Addr().String(), p.reviewer.Addr().String(), p.demo.Addr().String()})
	if err == nil {
		err = os.WriteFile(rememberedFile(dataDir), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember the ports: %w", err)
	}
	return nil
}

func open(ctx context.Context, what, flag, addr, last string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address of %s: %w", what, err)
	}
	if lastHost, _, err := net.SplitHostPort(last); port == "0" && err == nil && lastHost == host {
		if l, err := new(net.ListenConfig).Listen(ctx, "tcp", last); err == nil {
			return l, nil
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fault.New(fault.FailedPrecondition, "PORT_IN_USE", "%s for %s is in use by another program; stop it or choose another with %s %s", addr, what, flag, net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", what, err)
	}
	return l, nil
}

// close closes what is open. Listeners that their servers have closed already are no error.
func (p *ports) close() error {
	var errs []error
	for _, l := range []net.Listener{p.http, p.grpc, p.webfetch, p.reviewer, p.demo} {
		if l != nil {
			if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// write writes the ports file atomically, so that other programs learn the addresses.
func (p *ports) write(cfg Config, tokenFile string) error {
	if cfg.PortsFile == "" {
		return nil
	}
	b, err := json.Marshal(map[string]string{
		"http": "http://" + p.http.Addr().String(), "grpc": p.grpc.Addr().String(), "token_file": tokenFile,
		"demo_site": "http://" + p.demo.Addr().String(), "webfetch": "http://" + p.webfetch.Addr().String(),
	})
	if err != nil {
		return fmt.Errorf("encode the ports file: %w", err)
	}
	temporary := cfg.PortsFile + ".new"
	if err := os.WriteFile(temporary, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the ports file: %w", err)
	}
	if err := os.Rename(temporary, cfg.PortsFile); err != nil {
		return fmt.Errorf("write the ports file: %w", err)
	}
	return nil
}

// forget removes the ports file.
func forget(cfg Config) error {
	if cfg.PortsFile == "" {
		return nil
	}
	if err := os.Remove(cfg.PortsFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the ports file: %w", err)
	}
	return nil
}

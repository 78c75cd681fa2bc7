package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/pflag"

	"github.com/quorate/quorate/agents/webfetch"
	fetchrpc "github.com/quorate/quorate/agents/webfetch/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/rpcserver"
	"github.com/quorate/quorate/platform/telemetry"
	webfetchv1 "github.com/quorate/quorate/proto/gen/quorate/webfetch/v1"
)

// api configures quorate.webfetch.v1 beside the agent. The agent trusts anybody who can reach it, the API authenticates its callers.
type api struct {
	addr, grpcAddr string // empty for none
	keys           string // name of a file
	plaintext      bool
}

func (a *api) flags(flags *pflag.FlagSet) {
	flags.StringVar(&a.addr, "api-addr", "", "address to serve quorate.webfetch.v1 on over REST; empty for none (env WEBFETCH_API_ADDR)")
	flags.StringVar(&a.grpcAddr, "api-grpc-addr", "", "address to serve quorate.webfetch.v1 on over gRPC; empty for none (env WEBFETCH_API_GRPC_ADDR)")
	flags.StringVar(&a.keys, "api-keys", "", "file with a line for each API key, as quorate keys new prints it; read again when it changes (env WEBFETCH_API_KEYS)")
	flags.BoolVar(&a.plaintext, "api-plaintext", false, "serve the API on addresses that are not loopback: only behind a proxy that has TLS")
}

func (a *api) environment() {
	a.addr = cmp.Or(a.addr, config.Env("WEBFETCH_API_ADDR"))
	a.grpcAddr = cmp.Or(a.grpcAddr, config.Env("WEBFETCH_API_GRPC_ADDR"))
	a.keys = cmp.Or(a.keys, config.Env("WEBFETCH_API_KEYS"))
}

// check refuses what would be ignored.
func (a *api) check() error {
	switch {
	case a.wanted():
		return nil
	case a.keys != "":
		return fault.Invalid("api-keys", "CONFIG_INVALID", "there are API keys and no API; give --api-addr or --api-grpc-addr, or leave --api-keys and WEBFETCH_API_KEYS out")
	case a.plaintext:
		return fault.Invalid("api-plaintext", "CONFIG_INVALID", "--api-plaintext is for --api-addr and --api-grpc-addr, and neither is given")
	}
	return nil
}

func (a *api) wanted() bool { return a.addr != "" || a.grpcAddr != "" }

// served is an API that is ready to Run.
type served struct {
	*rpcserver.Server

	keys       *auth.KeysFile
	http, grpc net.Listener // nil for none
	tel        *telemetry.Telemetry
}

// open creates the API over f. The caller closes it after Run.
func (a *api) open(ctx context.Context, f *webfetch.Fetcher, logger *slog.Logger) (*served, error) {
	s := &served{}
	if err := a.fill(ctx, s, f, logger); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// fill opens what s needs, until the first error.
func (a *api) fill(ctx context.Context, s *served, f *webfetch.Fetcher, logger *slog.Logger) error {
	var err error
	if s.keys, err = auth.OpenKeysFile(a.keys, "api-keys", logger); err != nil {
		return err
	}
	if s.http, err = a.listen(ctx, a.addr); err != nil {
		return err
	}
	if s.grpc, err = a.listen(ctx, a.grpcAddr); err != nil {
		return err
	}
	if s.tel, err = telemetry.Setup(ctx, telemetry.Config{ServiceName: "web-fetch"}); err != nil {
		return err
	}
	telemetry.LogErrors(logger)
	s.Server, err = rpcserver.New(rpcserver.Options{
		Logger: logger, Telemetry: s.tel, Authenticator: s.keys, Rules: fetchrpc.Rules(), HTTPListener: s.http, GRPCListener: s.grpc,
	})
	if err != nil {
		return err
	}
	webfetchv1.RegisterWebFetchServiceServer(s.GRPC(), fetchrpc.New(f))
	return s.Gateway(ctx, rpcserver.NewREST(webfetchv1.RegisterWebFetchServiceHandlerClient, webfetchv1.NewWebFetchServiceClient))
}

// listen returns nothing for no address.
func (a *api) listen(ctx context.Context, addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fault.Invalid("api-addr", "CONFIG_INVALID", "%q is not host:port", addr)
	}
	if !a.plaintext && !netguard.IsLoopback(host) {
		return nil, fault.Invalid("api-addr", "CONFIG_INVALID", "%q is not on loopback and the API has no TLS; set --api-plaintext behind a proxy that has", addr)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve the API on %s: %w", addr, err)
	}
	return l, nil
}

// where lists the addresses at which it serves.
func (s *served) where() string {
	text := ""
	if s.http != nil {
		text += "its API is at http://" + s.http.Addr().String() + "\n"
	}
	if s.grpc != nil {
		text += "its API over gRPC is at " + s.grpc.Addr().String() + "\n"
	}
	return text
}

// close closes what Run has not closed.
func (s *served) close(ctx context.Context) error {
	for _, l := range []net.Listener{s.http, s.grpc} {
		if l != nil {
			_ = l.Close() // Run may have closed it
		}
	}
	if s.tel == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	return s.tel.Shutdown(ctx)
}

package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/auth/oidc"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
)

const (
	flushTimeout    = 2 * time.Second
	providerTimeout = 10 * time.Second
)

// Run serves until ctx ends, and then releases its work to other replicas. It logs to stderr, also the error that it returns, which may be the only trace of it where
// logs are collected. Logs and metrics name the version.
func Run(ctx context.Context, cfg Config, version string, stderr io.Writer) (err error) {
	observed := cfg.Telemetry.config()
	observed.ServiceVersion, observed.LogWriter = version, stderr
	tel, err := telemetry.Setup(ctx, observed)
	if err != nil {
		return err
	}
	telemetry.LogErrors(tel.Logger)
	tel.Logger.InfoContext(ctx, "starting", slog.String("version", version), slog.String("store", cfg.Store.Kind))
	p := &process{cfg: cfg, tel: tel}
	defer func() {
		if err = errors.Join(err, p.close(ctx)); err != nil && !errors.Is(err, context.Canceled) {
			tel.Logger.ErrorContext(ctx, "ended by an error", slog.String(telemetry.LogReason, fault.ReasonOf(err)), slog.Any(telemetry.LogError, err))
		}
	}()
	if err := p.assemble(ctx); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { tel.Logger.InfoContext(ctx, "stopping: calls under way are finished, and tasks handed over") })
	defer stop()
	err = tasks.Run(ctx, tel.Logger, p.tasks...)
	tel.Logger.InfoContext(ctx, "stopped")
	return err
}

// process holds everything that runs.
type process struct {
	cfg     Config
	tel     *telemetry.Telemetry
	tasks   []tasks.Task
	closers []func() error
}

// close closes what assemble opened, in reverse order.
func (p *process) close(ctx context.Context) error {
	var errs []error
	for _, c := range slices.Backward(p.closers) {
		errs = append(errs, c())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if err := p.tel.Shutdown(ctx); err != nil {
		p.tel.Logger.WarnContext(ctx, "some spans were not sent", slog.Any(telemetry.LogError, err)) // this does not make the end a failure
	}
	return errors.Join(errs...)
}

// assemble creates the server. Security settings are applied first: if that fails, nothing is opened.
func (p *process) assemble(ctx context.Context) error {
	protection, err := p.cfg.TLS.config(p.tel.Logger)
	if err != nil {
		return err
	}
	callers, err := p.authenticator(ctx)
	if err != nil {
		return err
	}
	policy, credentials, err := p.cfg.Agents.open(p.tel.Logger)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, credentials.Close)
	stores, err := p.stores(ctx)
	if err != nil {
		return err
	}
	p.closers = append(p.closers, stores.Close)
	embeddings, err := p.cfg.Routing.embeddings()
	if err != nil {
		return err
	}
	evidence, err := p.cfg.Evidence.open(ctx, p.tel.Logger)
	if err != nil {
		return err
	}
	options := server.Options{
		Stores: stores, Telemetry: p.tel, Authenticator: callers,
		Policy: policy, Receivers: &netguard.Policy{AllowOrigins: p.cfg.Push.AllowOrigins}, Credentials: credentials,
		Agents: server.Agents{
			Sources: p.cfg.Agents.sources(), Signatures: registry.SignaturePolicy(p.cfg.Agents.Signatures),
			Changes: registry.CardChanges(p.cfg.Agents.CardChanges), Strict: p.cfg.Agents.Strict,
		},
		Embeddings: embeddings, Evidence: evidence, PassThrough: p.cfg.Agents.PassThrough, MaxExchanges: p.cfg.Agents.MaxExchanges, AllowedHosts: p.cfg.HTTP.hosts(), PublicURL: p.cfg.HTTP.PublicURL, PublicGRPC: p.cfg.GRPC.PublicAddr,
		Limits: p.cfg.Calls.limits(),
	}
	if options.HTTPListener, options.GRPCListener, err = p.cfg.listen(ctx, protection, p.tel.Logger); err != nil {
		return err
	}
	s, err := server.New(ctx, options)
	if err != nil {
		return errors.Join(err, options.HTTPListener.Close(), options.GRPCListener.Close())
	}
	p.closers = append(p.closers, s.Close)
	p.tasks = append(p.tasks, s.Tasks()...)
	return nil
}

// open returns which addresses agents may be at, and the credentials for them.
func (a *Agents) open(logger *slog.Logger) (*netguard.Policy, *agentauth.Credentials, error) {
	policy := &netguard.Policy{AllowLoopback: a.AllowLoopback, AllowOrigins: a.AllowOrigins}
	credentials, err := agentauth.Open(agentauth.Config{File: a.CredentialsFile, Setting: "agents.credentialsFile", Policy: policy, Logger: logger})
	return policy, credentials, err
}

// provider returns an authenticator for the tokens of the OpenID Connect provider, which must be configured.
func (a *Auth) provider(ctx context.Context) (*oidc.Authenticator, error) {
	return oidc.New(ctx, a.OIDC, &http.Client{Timeout: providerTimeout})
}

// authenticator returns an authenticator for API keys and for tokens of the OpenID Connect provider, whichever are configured.
func (p *process) authenticator(ctx context.Context) (auth.Authenticator, error) {
	var list []auth.Authenticator
	if p.cfg.Auth.KeysFile != "" {
		k, err := auth.OpenKeysFile(p.cfg.Auth.KeysFile, "auth.keysFile", p.tel.Logger)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
		p.tasks = append(p.tasks, tasks.Task{Name: "API keys", Run: k.Run})
	}
	if p.cfg.Auth.OIDC.Issuer != "" {
		a, err := p.cfg.Auth.provider(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
		p.tasks = append(p.tasks, tasks.Task{Name: "keys of the OpenID Connect provider", Run: func(ctx context.Context) error { return a.Run(ctx, p.tel.Logger) }})
	}
	return auth.Chain(list...), nil
}

// stores opens the configured store.
func (p *process) stores(ctx context.Context) (*server.Stores, error) {
	c := p.cfg.Store
	key, err := c.pageKey()
	if err != nil {
		return nil, err
	}
	keep := server.Retention{Tasks: p.cfg.Retention.Tasks, Evidence: p.cfg.Retention.Evidence}
	if c.Kind == KindDynamoDB {
		db := c.DynamoDB()
		db.Meter = p.tel.MeterProvider.Meter("quorate/ddb")
		return p.openReplica(ctx, server.DynamoDB{
			Config: db, PageKey: key, Lease: c.Lease, Retention: keep,
		})
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, c.ofFolder(fmt.Errorf("make the data folder: %w", err))
	}
	size, err := server.EmbeddedSize(c.DataDir)
	switch copies := p.cfg.Backup.backup(); {
	case err != nil:
		return nil, c.ofFolder(err)
	case size == 0 && copies.Exists(): // a disk that was not mounted looks like this, too
		p.tel.Logger.WarnContext(ctx, "a new store begins, although there are copies of an earlier one", slog.String("dir", c.DataDir), slog.String("copies", copies.Dir))
	case size == 0:
		p.tel.Logger.InfoContext(ctx, "a new store begins", slog.String("dir", c.DataDir))
	}
	stores, err := server.OpenEmbedded(ctx, server.Embedded{Dir: c.DataDir, PageKey: key, Retention: keep, Backup: p.cfg.Backup.backup()})
	return stores, c.ofFolder(err)
}

// hosts returns the host names that clients may use.
func (h *HTTP) hosts() []string {
	hosts := slices.Clone(h.AllowedHosts)
	if u, err := url.Parse(h.PublicURL); err == nil && u.Host != "" {
		hosts = append(hosts, u.Host)
	}
	return hosts
}

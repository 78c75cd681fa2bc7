package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/reviewer"
	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/tasks"
	"github.com/quorate/quorate/platform/telemetry"
	"github.com/quorate/quorate/registry"
)

// Run runs dev mode until ctx ends. It writes the banner to stdout when everything is ready, and logs to stderr.
func Run(ctx context.Context, cfg Config, stdout, stderr io.Writer) (err error) {
	if err := makeDataDir(cfg.Store.DataDir); err != nil {
		return err
	}
	observed := cfg.Telemetry.config()
	observed.LogWriter = stderr
	tel, err := telemetry.Setup(ctx, observed)
	if err != nil {
		return err
	}
	telemetry.LogErrors(tel.Logger)
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		err = errors.Join(err, tel.Shutdown(ctx))
	}()
	p, err := listen(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	m := &machine{cfg: cfg, ports: p, tel: tel, keys: auth.NewKeyring(), tokenFile: TokenFile(cfg.Store.DataDir), started: time.Now()}
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.assemble(ctx); err != nil {
		return err
	}
	// These files, like that of the token, are left alone until the store is open: before that, they may belong to another running process. Programs that
	// wait for the ports file must not read that of an earlier start.
	if err := p.remember(cfg.Store.DataDir); err != nil {
		return err
	}
	if err := forget(cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forget(cfg)) }()
	m.tasks = append(m.tasks, tasks.Task{Name: "ready", Run: func(ctx context.Context) error {
		if err := m.await(ctx, m.agents); err != nil {
			return err
		}
		if err := p.write(cfg, m.tokenFile); err != nil {
			return err
		}
		if err := banner(stdout, cfg, p, m.tokenFile); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}})
	return tasks.Run(ctx, tel.Logger, m.tasks...)
}

// machine holds everything that runs.
type machine struct {
	cfg       Config
	ports     *ports
	tel       *telemetry.Telemetry
	keys      *auth.Keyring
	tokenFile string
	started   time.Time
	server    *server.Server
	tasks     []tasks.Task
	agents    []string
	closers   []func() error
}

// close closes what assemble opened, in reverse order.
func (m *machine) close() error {
	var errs []error
	for _, c := range slices.Backward(m.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// assemble creates the server, the agents and the demo site.
func (m *machine) assemble(ctx context.Context) error {
	sources, err := m.cfg.Agents.sources()
	if err != nil {
		return err
	}
	policy := &netguard.Policy{AllowLoopback: true}
	credentials, err := agentauth.Open(agentauth.Config{File: m.cfg.Agents.CredentialsFile, Setting: "agents.credentialsFile", Policy: policy, Logger: m.tel.Logger})
	if err != nil {
		return err
	}
	m.closers = append(m.closers, credentials.Close)
	fetcher, closeFetcher, err := openFetcher(ctx, m.cfg, m.ports, m.tel)
	if err != nil {
		return err
	}
	m.closers = append(m.closers, closeFetcher)
	stores, err := server.OpenEmbedded(ctx, server.Embedded{Dir: m.cfg.Store.DataDir})
	if err != nil {
		return err
	}
	m.closers = append(m.closers, stores.Close)
	admin, err := adminToken(m.tokenFile)
	if err != nil {
		return err
	}
	m.keys.Add(admin, auth.Principal{Tenant: auth.DefaultTenant, Name: "admin", Roles: []auth.Role{auth.RoleAdmin}})
	m.server, err = server.New(ctx, server.Options{
		Stores: stores, HTTPListener: m.ports.http, GRPCListener: m.ports.grpc, Telemetry: m.tel, Authenticator: m.keys,
		Policy: policy, Receivers: policy, Credentials: credentials, Services: []server.Service{fetchService(fetcher)}, PassThrough: m.cfg.Agents.PassThrough,
		Agents: server.Agents{
			Sources: sources, Signatures: registry.SignaturePolicy(m.cfg.Agents.Signatures), Changes: registry.CardChanges(m.cfg.Agents.CardChanges),
		},
	})
	if err != nil {
		return err
	}
	m.closers = append(m.closers, m.server.Close)
	m.tasks = append(m.server.Tasks(), tasks.Task{Name: "demo site", Run: func(ctx context.Context) error { return serveDemo(ctx, m.ports.demo) }})
	return errors.Join(m.join(reviewer.Config(), m.ports.reviewer), m.join(fetchAgent(fetcher, m.tel.Logger), m.ports.webfetch)) //nolint:contextcheck // an agent encodes its card without waiting
}

// join adds an agent with a token of its own. It starts when the agents before it are up, so that its rules refer to existing agents.
func (m *machine) join(c kit.Config, l net.Listener) error {
	c.Listener, c.Server, c.Logger = l, "http://"+m.ports.http.Addr().String(), m.tel.Logger
	c.Token = auth.NewToken("agent")
	m.keys.Add(c.Token, auth.Principal{Tenant: auth.DefaultTenant, Name: c.Name, Roles: []auth.Role{auth.RoleAgent}})
	a, err := kit.New(c)
	if err != nil {
		return fmt.Errorf("agent %s: %w", c.Name, err)
	}
	before := slices.Clone(m.agents)
	m.agents = append(m.agents, c.Name)
	m.tasks = append(m.tasks, tasks.Task{Name: "agent " + c.Name, Run: func(ctx context.Context) error {
		if err := m.await(ctx, before); err != nil {
			return err
		}
		return a.Run(ctx)
	}})
	return nil
}

// await waits until the agents are registered and up, or ctx ends.
func (m *machine) await(ctx context.Context, agents []string) error {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		if !slices.ContainsFunc(agents, func(name string) bool { return !m.up(ctx, name) }) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// up reports whether an agent has sent a heartbeat to this process, or answered its probe; the lease from an earlier process does not count.
func (m *machine) up(ctx context.Context, name string) bool {
	a, err := m.server.Registry.Agent(ctx, auth.DefaultTenant, name)
	return err == nil && a.Status.LastHeartbeat.After(m.started) && (a.Status.Status == registry.StatusAvailable || a.Status.Status == registry.StatusBusy)
}

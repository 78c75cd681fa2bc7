package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/quorate/quorate/orchestrator/doctor"
	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// examine checks the server that flags or environment name. If it does not answer, the other checks are skipped.
func (a *app) examine(ctx context.Context) []doctor.Result {
	ctx, cancel := context.WithTimeout(ctx, doctor.Limit)
	defer cancel()
	s, health, found := a.reachServer(ctx)
	results := []doctor.Result{{Name: "server", Finding: found}}
	for _, check := range []struct {
		name string
		run  func() doctor.Finding
	}{
		{"readiness", func() doctor.Finding { return health.Ready() }},
		{"certificate", func() doctor.Finding { return ofCertificate(health) }},
		{"clock", func() doctor.Finding { return ofClock(health) }},
		{"token", func() doctor.Finding { return s.ofToken(ctx) }},
	} {
		f := doctor.Skipped("the server does not answer")
		if health != nil {
			f = check.run()
		}
		results = append(results, doctor.Result{Name: check.name, Finding: f})
	}
	return results
}

// reachServer asks the server for its health, without the token. Without an answer the health is nil.
func (a *app) reachServer(ctx context.Context) (*session, *doctor.Health, doctor.Finding) {
	s, err := a.connect()
	if err != nil {
		return nil, nil, doctor.Failed(err, advice(fault.From(err)))
	}
	transport := http.DefaultTransport
	if web, err := a.tls.client(); err == nil && web != nil { // connect has read the same files
		transport = web.Transport
	}
	server := strings.TrimSuffix(a.address(), "/")
	health, err := doctor.Ask(ctx, transport, server+"/readyz", "")
	if err != nil {
		do := cmp.Or(reach(err), refusal(err), choose(strings.HasSuffix(server, "/v1"), withoutVersion, ""), "check --server, with https:// where the server has TLS, and that this machine may connect to it")
		return nil, nil, doctor.Failed(fmt.Errorf("%s: %w", server, err), do)
	}
	return s, health, doctor.Found("%s answers", server)
}

// ofCertificate looks at the end of a server's certificate: everything else about it was verified when we connected.
func ofCertificate(h *doctor.Health) doctor.Finding {
	if h.TLS == nil {
		return doctor.Skipped("the server has no TLS")
	}
	return doctor.CheckCertificate(h.TLS.PeerCertificates[0], h.At)
}

func ofClock(h *doctor.Health) doctor.Finding {
	if h.Date.IsZero() {
		return doctor.Skipped("the server's answer has no date")
	}
	return doctor.CheckClock(h.Date, h.At, "the server")
}

// ofToken asks whom the token identifies.
func (s *session) ofToken(ctx context.Context) doctor.Finding {
	caller := &orchestratorv1.Caller{}
	if err := s.get(ctx, "/v1/caller", nil, caller); err != nil {
		return doctor.Failed(err, advice(fault.From(err)))
	}
	roles := caller.GetRoles()
	return doctor.Found("it identifies %s of tenant %s with the %s %s", caller.GetName(), caller.GetTenant(), choose(len(roles) == 1, "role", "roles"), strings.Join(roles, ", "))
}

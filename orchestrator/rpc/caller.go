package rpc

import (
	"context"
	"strings"

	"github.com/quorate/quorate/platform/auth"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// Callers implements orchestratorv1.CallerServiceServer.
type Callers struct {
	orchestratorv1.UnimplementedCallerServiceServer

	rules auth.Rules
}

var _ orchestratorv1.CallerServiceServer = (*Callers)(nil)

// NewCallers returns the caller service of a server with these rules.
func NewCallers(rules auth.Rules) *Callers { return &Callers{rules: rules} }

// GetCaller implements the RPC.
func (s *Callers) GetCaller(ctx context.Context, _ *orchestratorv1.GetCallerRequest) (*orchestratorv1.Caller, error) {
	p, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	out := &orchestratorv1.Caller{Name: p.Name, Tenant: p.Tenant, Credential: string(p.Credential)}
	for _, role := range p.Roles {
		out.Roles = append(out.Roles, string(role))
	}
	for _, method := range s.rules.Open(p) {
		out.Methods = append(out.Methods, strings.TrimPrefix(method, "/"))
	}
	return out, nil
}

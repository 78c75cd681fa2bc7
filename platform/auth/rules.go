package auth

import (
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Rules say who may call each RPC, by its full gRPC method such as "/grpc.health.v1.Health/Check". Nobody may call a
// method without a row.
type Rules map[string]Rule

// Open returns the methods that p may call, sorted.
func (r Rules) Open(p Principal) []string {
	var open []string
	for method, rule := range r {
		if rule.Allow(p) == nil {
			open = append(open, method)
		}
	}
	slices.Sort(open)
	return open
}

// Rule says who may call one RPC. The zero value admits every authenticated caller.
type Rule struct {
	Public bool   // anyone, without a token
	Roles  []Role // any of these; none means every authenticated caller

	Audited bool // each call of a known caller is logged, however it ends, with its caller and the resource
}

// Allow returns nil if p may call, and otherwise a PermissionDenied fault with the reason ROLE_MISSING that names the required roles.
func (r Rule) Allow(p Principal) error {
	if r.Public || len(r.Roles) == 0 || p.Is(r.Roles...) {
		return nil
	}
	names := roleNames(r.Roles)
	needed := strings.ReplaceAll(names, ",", " or ")
	return fault.New(fault.PermissionDenied, "ROLE_MISSING", "this needs the role %s", needed).With("roles", names)
}

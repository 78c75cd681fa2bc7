package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

func TestSecretNeverPrints(t *testing.T) {
	t.Parallel()
	const plain = "hunter2"
	s := auth.Secret(plain)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).InfoContext(t.Context(), "m", slog.Any("s", s), slog.Any("in", struct{ S auth.Secret }{s}))
	encoded, err := json.Marshal(map[string]auth.Secret{"s": s})
	if err != nil {
		t.Fatalf("Marshal() = %v, want no error", err)
	}
	outputs := []string{log.String(), string(encoded)}
	for _, verb := range []string{"%s", "%v", "%+v", "%#v", "%q", "%x", "%d"} {
		outputs = append(outputs, fmt.Sprintf(verb, s), fmt.Sprintf(verb, struct{ S auth.Secret }{s}))
	}
	for _, out := range outputs {
		if strings.Contains(out, plain) || strings.Contains(out, fmt.Sprintf("%x", plain)) || !strings.Contains(out, "[redacted]") {
			t.Errorf("printed %q, want [redacted] and no secret", out)
		}
	}
	if got := s.Reveal(); got != plain {
		t.Errorf("Reveal() = %q, want %q", got, plain)
	}
}

func TestNewTokenIsUniqueAndScannable(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^quorate_agent_[0-9A-Za-z]{43}_[0-9a-f]{8}$`)
	seen := make(map[auth.Secret]bool)
	for range 1000 { // one in sixty has to be filled up
		token := auth.NewToken("agent")
		if !form.MatchString(token.Reveal()) || seen[token] {
			t.Fatalf("NewToken(agent) = %q, want a new one like %v", token.Reveal(), form)
		}
		seen[token] = true
	}
}

func TestKeyringKnowsOnlyItsTokens(t *testing.T) {
	t.Parallel()
	ring := auth.NewKeyring()
	kept, gone, other := auth.NewToken("t"), auth.NewToken("t"), auth.NewToken("t")
	ring.Add(kept, auth.Principal{Name: "old"})
	ring.Add(kept, auth.Principal{Name: "ann", Roles: []auth.Role{auth.RoleViewer}})
	ring.Add(gone, auth.Principal{Name: "bob"})
	ring.Add(other, auth.Principal{Tenant: "acme", Name: "ann"})
	ring.Add("", auth.Principal{Name: "nobody"})
	ring.Remove(gone)
	tests := map[string]struct {
		token  string
		want   auth.Principal
		reason string
	}{
		"a known token is its last owner":      {kept.Reveal(), auth.Principal{Tenant: "default", Name: "ann", Roles: []auth.Role{auth.RoleViewer}, Credential: auth.CredentialKey}, ""},
		"a known token is of its tenant":       {other.Reveal(), auth.Principal{Tenant: "acme", Name: "ann", Credential: auth.CredentialKey}, ""},
		"a removed token is invalid":           {gone.Reveal(), auth.Principal{}, "TOKEN_INVALID"},
		"a prefix of a token is invalid":       {kept.Reveal()[:20], auth.Principal{}, "TOKEN_INVALID"},
		"no token is missing, even when added": {"", auth.Principal{}, "TOKEN_MISSING"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ring.Authenticate(t.Context(), test.token)
			if !reflect.DeepEqual(got, test.want) || fault.ReasonOf(err) != test.reason {
				t.Errorf("Authenticate() = %v, %v, want %v and reason %q", got, err, test.want, test.reason)
			}
		})
	}
}

func TestKeyringIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	ring := auth.NewKeyring()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			token := auth.NewToken("t")
			name := strconv.Itoa(i)
			ring.Add(token, auth.Principal{Name: name})
			if p, err := ring.Authenticate(t.Context(), token.Reveal()); err != nil || p.Name != name {
				t.Errorf("Authenticate() = %v, %v, want %s", p, err, name)
			}
			ring.Remove(token)
		})
	}
	group.Wait()
}

type failing struct{ kind fault.Kind }

func (f failing) Authenticate(context.Context, string) (auth.Principal, error) {
	return auth.Principal{}, fault.New(f.kind, "FAKE", "no")
}

func TestChainTakesTheFirstAnswer(t *testing.T) {
	t.Parallel()
	ring := auth.NewKeyring()
	ring.Add("good", auth.Principal{Name: "ann"})
	tests := map[string]struct {
		chain auth.Authenticator
		kind  fault.Kind
		name  string
	}{
		"the one that knows the token answers":       {auth.Chain(failing{fault.Unauthenticated}, ring), 0, "ann"},
		"an outage is not a wrong token, nor a pass": {auth.Chain(failing{fault.Unavailable}, ring), fault.Unavailable, ""},
		"a token that nobody knows lets nobody in":   {auth.Chain(failing{fault.Unauthenticated}), fault.Unauthenticated, ""},
		"an empty chain lets nobody in":              {auth.Chain(), fault.Unauthenticated, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := test.chain.Authenticate(t.Context(), "good")
			if p.Name != test.name || (err != nil) != (test.name == "") || err != nil && fault.KindOf(err) != test.kind {
				t.Errorf("Authenticate() = %v, %v, want %q, %v", p, err, test.name, test.kind)
			}
		})
	}
}

type refusing struct{ cause error }

func (r refusing) Authenticate(context.Context, string) (auth.Principal, error) {
	err := fault.New(fault.Unauthenticated, "FAKE", "no")
	err.Cause = r.cause
	return auth.Principal{}, err
}

// TestTheRefusalOfAChainSaysWhy has an operator read in the log why a token of the provider is refused, although others were asked after the provider.
func TestTheRefusalOfAChainSaysWhy(t *testing.T) {
	t.Parallel()
	expired := errors.New("it has expired")
	for name, chain := range map[string]auth.Authenticator{
		"by the first":       auth.Chain(refusing{expired}, refusing{nil}),
		"by the last":        auth.Chain(refusing{nil}, refusing{expired}),
		"by a chain in here": auth.Chain(auth.Chain(auth.NewKeyring(), refusing{expired}), auth.NewKeyring()),
	} {
		if _, err := chain.Authenticate(t.Context(), "bad"); fault.KindOf(err) != fault.Unauthenticated || !errors.Is(err, expired) {
			t.Errorf("%s: Authenticate() = %v, want Unauthenticated because %v", name, err, expired)
		}
	}
}

func TestANameIsPlainAndBounded(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"ann": true, "Jürgen Groß <j@example.com>": true, strings.Repeat("n", 128): true,
		"": false, "a\nb": false, "a\x00b": false, "a\x1fb": false, "a\x7fb": false, "\xff": false, strings.Repeat("n", 257): false,
	} {
		if err := (auth.Principal{Name: name, Tenant: "t"}).Check(); (err == nil) != ok {
			t.Errorf("Check() of the name %q = %v, want it allowed: %v", name, err, ok)
		}
		if err := (auth.Principal{Name: "n", Tenant: name}).Check(); (err == nil) != ok {
			t.Errorf("Check() of the tenant %q = %v, want it allowed: %v", name, err, ok)
		}
	}
}

func TestRuleAllowsAnyOfItsRoles(t *testing.T) {
	t.Parallel()
	viewer := auth.Principal{Name: "v", Roles: []auth.Role{auth.RoleViewer}}
	tests := map[string]struct {
		rule   auth.Rule
		reason string
	}{
		"the zero rule admits every authenticated caller": {auth.Rule{}, ""},
		"a public rule admits":                            {auth.Rule{Public: true}, ""},
		"one of the roles suffices":                       {auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleViewer}}, ""},
		"another role does not":                           {auth.Rule{Roles: []auth.Role{auth.RoleAdmin}}, "ROLE_MISSING"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := test.rule.Allow(viewer); fault.ReasonOf(err) != test.reason {
				t.Errorf("Allow(viewer) = %v, want reason %q", err, test.reason)
			}
		})
	}
}

func TestFromContextReturnsThePrincipal(t *testing.T) {
	t.Parallel()
	if p, ok := auth.FromContext(t.Context()); ok {
		t.Errorf("FromContext(empty) = %v, want none", p)
	}
	ctx := auth.NewContext(t.Context(), auth.Principal{Name: "ann"})
	if p, ok := auth.FromContext(ctx); !ok || p.Name != "ann" {
		t.Errorf("FromContext() = %v, %v, want ann", p, ok)
	}
}

package kit_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/auth"
)

const callersToken = "what-callers-show"

func TestCallersShowTheTokenOverEveryBinding(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo, Callers: func() auth.Secret { return callersToken }})
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			c := client(t, agent, binding)
			shows := func(authorization string) (a2a.SendMessageResult, error) {
				ctx := a2aclient.AttachServiceParams(t.Context(), a2aclient.ServiceParams{"Authorization": {authorization}})
				return c.SendMessage(ctx, request(say("hello")))
			}
			for _, wrong := range []string{"", "Bearer", "Bearer ", "Bearer " + callersToken + "x", "Basic " + callersToken, callersToken} {
				if got, err := shows(wrong); err == nil {
					t.Errorf("SendMessage() that shows %q = %v, want it refused", wrong, got)
				} else if binding == a2a.TransportProtocolGRPC && !errors.Is(err, a2a.ErrUnauthenticated) {
					t.Errorf("SendMessage() that shows %q = %v, want the status of gRPC for it", wrong, err)
				}
			}
			for _, right := range []string{"Bearer " + callersToken, "bearer  " + callersToken} {
				if _, err := shows(right); err != nil {
					t.Errorf("SendMessage() that shows %q = %v, want it let in", right, err)
				}
			}
		})
	}
}

func TestWithoutTheTokenThereIsTheCardOnly(t *testing.T) {
	t.Parallel()
	var asked atomic.Bool
	agent, _ := start(t, kit.Config{Handler: echo, Callers: func() auth.Secret { return "" }, Wrap: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	}})
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		got := fetch(t, method, agent.URL()+"/mcp", http.Header{"Authorization": {"Bearer "}}, nil)
		if got.code != http.StatusUnauthorized || got.header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(got.body, "Authorization: Bearer TOKEN") {
			t.Errorf("%s /mcp = %d %v %s, want 401 with what to show", method, got.code, got.header, got.body)
		}
	}
	if got := fetch(t, http.MethodPost, agent.CardURL(), nil, nil); got.code != http.StatusUnauthorized {
		t.Errorf("POST of the card = %d, want 401", got.code)
	}
	if asked.Load() {
		t.Error("what wraps the agent was asked, want nobody let in when there is no token")
	}
	open, _ := start(t, kit.Config{Handler: echo})
	if got := fetch(t, http.MethodGet, open.CardURL(), nil, nil); strings.Contains(got.body, "securitySchemes") {
		t.Errorf("the card of an agent that lets everybody in = %s, want no schemes", got.body)
	}
}

func TestTheCardSaysThatCallersShowAToken(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: echo, Callers: func() auth.Secret { return callersToken }})
	got := fetch(t, http.MethodGet, agent.CardURL(), nil, nil)
	if want := `"securitySchemes":{"bearer":{"httpAuthSecurityScheme":{`; got.code != http.StatusOK || !strings.Contains(got.body, want) {
		t.Errorf("the card = %d %s, want %s in it", got.code, got.body, want)
	}
}

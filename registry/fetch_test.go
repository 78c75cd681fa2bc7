package registry_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// guarded returns a registry that reads cards through the client that servers use.
func guarded(t *testing.T) *registry.Registry {
	t.Helper()
	policy := &netguard.Policy{AllowLoopback: true}
	return open(t, registry.Options{Client: policy.Client(netguard.ClientOptions{Timeout: 5 * time.Second, MaxRedirects: 3})})
}

func TestTheGuardedClientReadsNoCardFromWhereItMustNot(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	redirect := func(path, to string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	answer := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
	}
	redirect("/metadata", "http://169.254.169.254/latest/meta-data")
	redirect("/private", "http://10.0.0.1/card.json")
	redirect("/file", "file:///etc/passwd")
	redirect("/once", "/card")
	redirect("/loop", "/loop")
	mux.HandleFunc("/unasked", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	answer("/card", string(named("a", "s")))
	answer("/large", `{"name":"`+strings.Repeat("a", 256<<10)+`"}`)
	answer("/exact", string(named("exact", "s"))+strings.Repeat(" ", agentcard.MaxBytes-len(named("exact", "s"))))
	answer("/twice", `{"name":"a","name":"b","version":"1.0.0","url":"https://a.example/"}`)
	answer("/deeptwice", `{"name":"a","version":"1.0.0","url":"https://a.example/","skills":[{"id":"x","id":"y"}]}`)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	r := guarded(t)
	tests := map[string]struct{ uri, reason string }{
		"one redirect is followed":              {server.URL + "/once", ""},
		"256 KiB are read":                      {server.URL + "/exact", ""},
		"one byte more is not":                  {server.URL + "/large", "CARD_TOO_LARGE"},
		"a key that occurs twice":               {server.URL + "/twice", "CARD_DUPLICATE_KEY"},
		"a key that occurs twice, deep down":    {server.URL + "/deeptwice", "CARD_DUPLICATE_KEY"},
		"not modified since nothing":            {server.URL + "/unasked", "CARD_UNREACHABLE"},
		"a redirect to the cloud's metadata":    {server.URL + "/metadata", "ADDRESS_BLOCKED"},
		"a redirect to a private address":       {server.URL + "/private", "ADDRESS_BLOCKED"},
		"a redirect to a file":                  {server.URL + "/file", "URL_INVALID"},
		"a redirect without end":                {server.URL + "/loop", "TOO_MANY_REDIRECTS"},
		"an address in decimal":                 {"http://2130706433/card", "URL_INVALID"},
		"a mapped address":                      {"http://[::ffff:169.254.169.254]/card", "ADDRESS_BLOCKED"},
		"a carrier's address":                   {"http://100.64.0.1/card", "ADDRESS_BLOCKED"},
		"a private address given as the card's": {"http://192.168.1.1/card", "ADDRESS_BLOCKED"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: test.uri, ValidateOnly: true})
			if fault.ReasonOf(err) != test.reason {
				t.Errorf("Register(%s) = %v, want %q", test.uri, err, test.reason)
			}
		})
	}
}

func TestARefusedRedirectIsToldApartFromARefusedURL(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := "http://10.0.0.1/card.json?key=secret"
		if r.URL.Path == "/loop" {
			to = r.URL.Path
		}
		http.Redirect(w, r, to, http.StatusFound)
	}))
	t.Cleanup(server.Close)
	_, _, err := guarded(t).Register(t.Context(), tenant, registry.Registration{CardURI: server.URL + "/card"})
	want := server.URL + "/card redirects to http://10.0.0.1, and this address may not be called"
	if fault.ReasonOf(err) != "ADDRESS_BLOCKED" || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
		t.Errorf("Register() = %v, want ADDRESS_BLOCKED and %q", err, want)
	}
	if _, _, err = guarded(t).Register(t.Context(), tenant, registry.Registration{CardURI: "http://10.0.0.1/card"}); strings.Contains(err.Error(), "redirect") {
		t.Errorf("Register() = %v, want no word of a redirect", err)
	}
	if _, _, err = guarded(t).Register(t.Context(), tenant, registry.Registration{CardURI: server.URL + "/loop"}); err == nil || err.Error() != "the server redirected more than 3 times" {
		t.Errorf("Register() = %v, want no word of another server", err)
	}
}

func TestACardThatIsNotThereIsSaidToBeThereOnce(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	server := httptest.NewServer(http.RedirectHandler(closed.URL+"/card?key=secret", http.StatusFound))
	t.Cleanup(server.Close)
	for uri, want := range map[string]string{
		closed.URL + "/card": "the card at " + closed.URL + "/card cannot be read: dial tcp ",
		server.URL + "/card": "the card at " + server.URL + "/card, which redirects to " + closed.URL + ", cannot be read: dial tcp ",
	} {
		_, _, err := guarded(t).Register(t.Context(), tenant, registry.Registration{CardURI: uri})
		if fault.ReasonOf(err) != "CARD_UNREACHABLE" || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Register(%s) = %v, want CARD_UNREACHABLE and %q", uri, err, want)
		}
	}
}

func TestNoProxyOfTheEnvironmentSeesCards(t *testing.T) {
	var asked atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(named("a", "s"))
	}))
	t.Cleanup(proxy.Close)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	_, _, err := guarded(t).Register(t.Context(), tenant, registry.Registration{CardURI: "http://192.0.2.1/card"})
	if fault.ReasonOf(err) != "ADDRESS_BLOCKED" || asked.Load() != 0 {
		t.Errorf("Register() = %v with %d requests to the proxy, want ADDRESS_BLOCKED and none", err, asked.Load())
	}
}

// TestACardIsAskedForInTheNewestVersion reads one from a server that answers who names no version in A2A 0.3, which it does not speak.
func TestACardIsAskedForInTheNewestVersion(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("A2A-Version") != "1.0" {
			http.Error(w, `{"code":-32009,"message":"AgentCard must have at least one interface with a protocol version in [0.3, 1.0)."}`, http.StatusBadRequest)
			return
		}
		_, _ = w.Write(named("a", "s"))
	}))
	t.Cleanup(server.Close)
	if _, _, err := guarded(t).Register(t.Context(), tenant, registry.Registration{CardURI: server.URL, ValidateOnly: true}); err != nil {
		t.Errorf("Register() = %v, want the card that is given to callers of A2A 1.0", err)
	}
}

// expiredLeaseMessage is a server that never answers.
type expiredLeaseMessage struct{}

func (expiredLeaseMessage) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestACardThatDoesNotComeIsWaitedForFiveSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, registry.Options{Client: &http.Client{Transport: expiredLeaseMessage{}}})
		begin := time.Now()
		_, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: cardURI})
		if waited := time.Since(begin); fault.ReasonOf(err) != "CARD_UNREACHABLE" || waited != 5*time.Second {
			t.Errorf("Register() = %v after %s, want CARD_UNREACHABLE after 5s", err, waited)
		}
	})
}

// TestACardOfA2A02IsFound reads one from a server that has it at the well-known path of its version only.
func TestACardOfA2A02IsFound(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	for _, base := range []string{"", "/agents/a"} {
		mux.HandleFunc(base+"/.well-known/agent.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(named("a", "s")) })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	r := guarded(t)
	for given, read := range map[string]string{
		"":                                      "/.well-known/agent.json",
		"/":                                     "/.well-known/agent.json",
		"/agents/a/.well-known/agent-card.json": "/agents/a/.well-known/agent.json",
	} {
		answer, err := r.FetchCard(t.Context(), server.URL+given, registry.Validators{})
		if err != nil || answer.URI != server.URL+read {
			t.Errorf("FetchCard(%q) = a card from %s, %v, want one from %s", given, answer.URI, err, read)
		}
	}
	if _, err := r.FetchCard(t.Context(), server.URL+"/agents/b", registry.Validators{}); fault.ReasonOf(err) != "CARD_UNREACHABLE" {
		t.Errorf("FetchCard() of a path with nothing = %v, want CARD_UNREACHABLE", err)
	}
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: server.URL}); err != nil {
		t.Fatalf("Register() = %v", err)
	}
	if a, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "a", "", ""); err != nil || a.CardURI != server.URL+"/.well-known/agent.json" {
		t.Errorf("Refresh() = an agent with the card at %q, %v, want where it was found", a.CardURI, err)
	}
}

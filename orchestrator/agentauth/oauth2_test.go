package agentauth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// issuer is a token endpoint whose tokens are numbered and last 10 minutes.
func issuer(t *testing.T) *agent {
	t.Helper()
	n := 0
	return serve(t, func(w http.ResponseWriter, r *http.Request) { // one request at a time, or the race detector finds it
		w.Header().Set("Content-Type", "application/json")
		user, password, _ := r.BasicAuth()
		if user != "quorate" || password != canary {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, `{"error":"invalid_client","error_description":"%s%s is wrong"}`, password, r.PostFormValue("client_secret"))
			return
		}
		n++
		_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer","expires_in":600}`, n)
	})
}

func oauth(t *testing.T, a, i *agent, secret string) *agentauth.Credentials {
	t.Helper()
	return open(t, "credentials: [{origin: '"+a.URL+"', oauth2: {tokenURL: '"+i.URL+"/token', clientID: quorate, clientSecret: 'file:"+write(t, secret)+"', scopes: [a, b]}}]")
}

func TestATokenIsAskedForOnceAndAgainBeforeItExpires(t *testing.T) {
	t.Parallel()
	a, i := serve(t, ok), issuer(t)
	synctest.Test(t, func(t *testing.T) {
		c := oauth(t, a, i, canary)
		want := func(token string) {
			t.Helper()
			if _, err := post(t.Context(), c, a.URL); err != nil {
				t.Fatalf("POST = %v, want an answer", err)
			}
			if r, _ := a.last(t); r.Header.Get("Authorization") != "Bearer "+token {
				t.Errorf("the agent was shown %q, want Bearer %s", r.Header.Get("Authorization"), token)
			}
		}
		want("token-1")
		r, _ := i.last(t)
		if err := r.ParseForm(); err != nil || r.PostForm.Get("grant_type") != "client_credentials" || r.PostForm.Get("scope") != "a b" {
			t.Errorf("the endpoint was asked with %v, want client credentials with two scopes", r.PostForm)
		}
		<-time.After(539 * time.Second)
		want("token-1")
		<-time.After(time.Second) // a minute before its end
		want("token-1")           // which nobody waits for
		synctest.Wait()
		want("token-2")
		i.Close()
		<-time.After(545 * time.Second)
		want("token-2") // it still lasts
		<-time.After(60 * time.Second)
		if _, err := post(t.Context(), c, a.URL); fault.ReasonOf(err) != agentauth.ReasonUnavailable {
			t.Errorf("POST without a token = %v, want %s", err, agentauth.ReasonUnavailable)
		}
	})
}

func TestATokenIsForWhatItsEntryNames(t *testing.T) {
	t.Parallel()
	a, i := serve(t, ok), issuer(t)
	secret := "tokenURL: '" + i.URL + "/token', clientID: quorate, clientSecret: 'file:" + write(t, canary) + "'"
	for more, want := range map[string]map[string][]string{
		"": {},
		", resource: 'https://a.example/x', audience: billing": {"resource": {"https://a.example/x"}, "audience": {"billing"}},
	} {
		if _, err := post(t.Context(), open(t, "credentials: [{origin: '"+a.URL+"', oauth2: {"+secret+more+"}}]"), a.URL); err != nil {
			t.Fatalf("POST = %v, want an answer", err)
		}
		r, _ := i.last(t)
		if err := r.ParseForm(); err != nil {
			t.Fatal(err)
		}
		r.PostForm.Del("grant_type")
		if got := map[string][]string(r.PostForm); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("the endpoint was asked with %v, want %v", got, want)
		}
	}
}

// TestATokenIsKeptForAnHourAtMost has an endpoint that says nothing of an end, or one that is far away.
func TestATokenIsKeptForAnHourAtMost(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{"no end": "", "a distant end": `,"expires_in":1000000`} {
		n := 0
		a, i := serve(t, ok), serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n++
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer"%s}`, n, end)
		})
		synctest.Test(t, func(t *testing.T) {
			c := oauth(t, a, i, canary)
			for _, want := range []string{"token-1", "token-1", "token-2"} {
				if _, err := post(t.Context(), c, a.URL); err != nil {
					t.Fatalf("POST with a token of %s = %v, want an answer", name, err)
				}
				if r, _ := a.last(t); r.Header.Get("Authorization") != "Bearer "+want {
					t.Errorf("the agent was shown %q of a token of %s, want Bearer %s", r.Header.Get("Authorization"), name, want)
				}
				<-time.After(58 * time.Minute)
			}
		})
	}
}

func TestManyCallsAskForOneToken(t *testing.T) {
	t.Parallel()
	a, i := serve(t, ok), issuer(t)
	c := oauth(t, a, i, canary)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusOK {
				t.Errorf("POST = %d, %v, want 200", code, err)
			}
		})
	}
	calls.Wait()
	if _, n := i.last(t); n != 1 {
		t.Errorf("the endpoint was asked %d times, want once", n)
	}
}

func TestACallerThatLeavesDoesNotEndWhatOthersWaitFor(t *testing.T) {
	t.Parallel()
	came, goOn := make(chan struct{}, 9), make(chan struct{})
	a, i := serve(t, ok), serve(t, func(w http.ResponseWriter, _ *http.Request) {
		came <- struct{}{}
		<-goOn
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"access_token":"token","token_type":"Bearer","expires_in":600}`)
	})
	c := oauth(t, a, i, canary)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-came; cancel() }()
	if _, err := post(ctx, c, a.URL); !errors.Is(err, context.Canceled) {
		t.Errorf("POST of a caller that left = %v, want %v", err, context.Canceled)
	}
	close(goOn)
	if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusOK {
		t.Errorf("POST = %d, %v, want 200", code, err)
	}
	if _, n := i.last(t); n != 1 {
		t.Errorf("the endpoint was asked %d times, want once", n)
	}
}

func TestNobodyWaitsForTheNextTokenWhileOneLasts(t *testing.T) {
	t.Parallel()
	shown := make(chan struct{}, 9)
	first := true
	a, i := serve(t, func(http.ResponseWriter, *http.Request) { shown <- struct{}{} }), serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if !first {
			select {
			case <-shown:
			case <-time.After(time.Minute):
				t.Error("no call reached the agent while the endpoint took its time")
			}
		}
		first = false
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"access_token":"token","token_type":"Bearer","expires_in":600}`)
	})
	synctest.Test(t, func(t *testing.T) {
		c := oauth(t, a, i, canary)
		if _, err := post(t.Context(), c, a.URL); err != nil {
			t.Fatalf("POST = %v, want an answer", err)
		}
		<-time.After(545 * time.Second)
		for len(shown) > 0 {
			<-shown
		}
		if _, err := post(t.Context(), c, a.URL); err != nil {
			t.Errorf("POST = %v, want an answer", err)
		}
	})
}

func TestAnEndpointThatRefusesIsLeftAloneForAWhileAndSaysNothingOfTheSecret(t *testing.T) {
	t.Parallel()
	a, i := serve(t, ok), issuer(t)
	synctest.Test(t, func(t *testing.T) {
		c := oauth(t, a, i, "wr0ng-"+canary)
		for range 3 {
			_, err := post(t.Context(), c, a.URL)
			f := fault.From(err)
			if f.Reason != agentauth.ReasonUnavailable || f.RetryAfter <= 0 || !strings.Contains(f.Message, "HTTP 401, invalid_client") {
				t.Errorf("POST = %v, want %s with the code of the endpoint and when to try again", err, agentauth.ReasonUnavailable)
			}
			if strings.Contains(err.Error(), canary) {
				t.Errorf("POST = %v, which shows the secret", err)
			}
		}
		if _, n := i.last(t); n != 2 { // with the secret in the header, and in the form
			t.Errorf("the endpoint was asked %d times, want 2", n)
		}
		<-time.After(6 * time.Second)
		if _, err := post(t.Context(), c, a.URL); err == nil {
			t.Error("POST = nil, want an error")
		}
		if _, n := i.last(t); n != 4 {
			t.Errorf("the endpoint was asked %d times after a pause, want 4", n)
		}
	})
}

func TestATokenThatCannotBeShownIsNotTaken(t *testing.T) {
	t.Parallel()
	a := serve(t, ok)
	for name, answer := range map[string]string{
		"with a line break":     `{"access_token":"a\r\nX-Evil: b","token_type":"Bearer"}`,
		"without end":           `{"access_token":"` + strings.Repeat("a", 33<<10) + `","token_type":"Bearer"}`,
		"of another type":       `{"access_token":"a","token_type":"mac"}`,
		"whose time is over":    `{"access_token":"a","token_type":"Bearer","expires_in":-1}`,
		"that is none":          `{"token_type":"Bearer"}`,
		"in what is not JSON":   `access`,
		"in an error's answer":  `{"error":"access_denied","access_token":"a","token_type":"Bearer"}`,
		"in an error's code":    `{"error":"` + canary + ` is wrong"}`,
		"in the form of a list": `[]`,
	} {
		i := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, answer)
		})
		status, err := post(t.Context(), oauth(t, a, i, canary), a.URL)
		if fault.ReasonOf(err) != agentauth.ReasonUnavailable || !strings.Contains(err.Error(), "there is no token of") || strings.Contains(err.Error(), canary) {
			t.Errorf("POST with a token %s = %d, %v, want %s without the secret", name, status, err, agentauth.ReasonUnavailable)
		}
	}
}

// TestATokenThatTheCallHadToWaitForIsNoNewerOne has time go on while the endpoint answers, as it does outside of the tests that play it.
func TestATokenThatTheCallHadToWaitForIsNoNewerOne(t *testing.T) {
	t.Parallel()
	a, i := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }), issuer(t)
	c := oauth(t, a, i, canary)
	if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusUnauthorized {
		t.Errorf("POST = %d, %v, want 401", code, err)
	}
	if _, n := a.last(t); n != 1 {
		t.Errorf("the agent was asked %d times with one token, want once", n)
	}
}

func TestATokenThatIsNoLongerAcceptedIsRenewedOnce(t *testing.T) {
	t.Parallel()
	accepted := "token-2"
	a, i := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+accepted {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}), issuer(t)
	synctest.Test(t, func(t *testing.T) {
		c := oauth(t, a, i, canary)
		want := func(code, asked, issued int) {
			t.Helper()
			got, err := post(t.Context(), c, a.URL)
			_, n := a.last(t)
			if _, m := i.last(t); err != nil || got != code || n != asked || m != issued {
				t.Errorf("POST = %d, %v after %d requests and %d tokens, want %d after %d and %d", got, err, n, m, code, asked, issued)
			}
		}
		want(401, 1, 1) // the token is new: another one would be no better
		<-time.After(time.Minute)
		want(200, 3, 2)
		accepted = "none"
		want(401, 4, 2) // who denies everything must not have us ask for tokens
	})
}

// TestEveryCallWithATokenThatIsNoLongerAcceptedIsSentAgain has two calls on their way with one token. The first denial has the next token requested; the
// second one comes while the endpoint takes its time, or when the next token is there.
func TestEveryCallWithATokenThatIsNoLongerAcceptedIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"while the next token is requested": false, "when the next token is there": true} {
		asked, release := make(chan struct{}), make(chan struct{})
		issued := 0
		i := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if issued++; issued == 2 {
				close(asked)
				<-release
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"access_token":"token-%d","token_type":"Bearer","expires_in":600}`, issued)
		})
		synctest.Test(t, func(t *testing.T) {
			denied, over := make(chan struct{}), make(chan struct{})
			goOn := sync.OnceFunc(func() { close(release) })
			answers := roundTrip(func(r *http.Request) (*http.Response, error) {
				resp := &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Request: r}
				switch {
				case r.URL.Path == "/" || r.Header.Get("Authorization") != "Bearer token-1":
					resp.StatusCode = http.StatusOK
				case r.URL.Path == "/first":
					<-time.After(time.Second) // by then the second is on its way, too
					close(denied)
				case late:
					goOn()
					<-over
				default:
					<-denied
					<-asked
					resp.Body = closer{http.NoBody, goOn} // it is closed once it is decided whether the call is sent again
				}
				return resp, nil
			})
			client := oauth(t, &agent{Server: &httptest.Server{URL: "https://a.example"}}, i, canary).Client(&http.Client{Transport: answers})
			call := func(path string) {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example"+path, http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := client.Do(req)
				if err != nil {
					t.Errorf("GET %s %s = %v, want an answer", path, name, err)
					return
				}
				if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("GET %s, denied %s = %d, %v, want 200 with the next token", path, name, resp.StatusCode, err)
				}
			}
			call("/")
			<-time.After(time.Minute)
			go func() { defer close(over); call("/first") }()
			call("/second")
			<-over
		})
		if _, n := i.last(t); n != 2 {
			t.Errorf("the endpoint was asked %d times for tokens, want 2", n)
		}
	}
}

// closer is a body that says when it is closed.
type closer struct {
	io.Reader
	closed func()
}

func (c closer) Close() error {
	c.closed()
	return nil
}

// A body that comes from another connection cannot be had again, so the agent's answer stands.
func TestABodyThatCannotBeSentAgainIsSentOnce(t *testing.T) {
	t.Parallel()
	a, i := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }), issuer(t)
	synctest.Test(t, func(t *testing.T) {
		c := oauth(t, a, i, canary)
		if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusUnauthorized {
			t.Fatalf("POST = %d, %v, want 401", code, err)
		}
		<-time.After(time.Minute) // now another token would be asked for
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL, io.NopCloser(strings.NewReader("body")))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Client(policy.Client(netguard.ClientOptions{})).Do(req)
		if err != nil {
			t.Fatalf("POST = %v, want an answer", err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if _, n := a.last(t); resp.StatusCode != http.StatusUnauthorized || n != 2 {
			t.Errorf("POST = %d after %d requests in all, want 401 after 2", resp.StatusCode, n)
		}
	})
}

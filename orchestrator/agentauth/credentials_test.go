package agentauth_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

func TestWhatCannotBeAppliedIsRefusedWithWhatToDo(t *testing.T) {
	t.Parallel()
	everybody := write(t, canary)
	if err := os.Chmod(everybody, 0o644); err != nil {
		t.Fatal(err)
	}
	const origin = "credentials: [{origin: 'https://a.example', "
	for name, test := range map[string]struct{ text, want string }{
		"nothing":                  {"", "want credentials: and a list"},
		"a key nobody knows":       {origin + "bearer: {tokem: 'env:X'}}]", "line 1: unknown field tokem"},
		"a key given twice":        {origin + "origin: 'https://b.example'}]", `"origin" already defined`},
		"a file without end":       {strings.Repeat("#", 1<<20+1), "more than 1048576 bytes"},
		"too many entries":         {"credentials: [" + strings.Repeat("{},", 1001) + "]", "it has 1001 entries; the most is 1000"},
		"the most entries":         {"credentials: [" + strings.Repeat("{},", 1000) + "]", "entry 1000: origin"},
		"two documents":            {origin + "bearer: {token: 'env:PATH'}}]\n---\n{}", "more than one document"},
		"a text for a kind":        {origin + "bearer: " + canary + "}]", "cannot unmarshal"},
		"a path in the origin":     {"credentials: [{origin: 'https://a.example/x', bearer: {token: 'env:PATH'}}]", "entry 1: origin: want a scheme, a host"},
		"an origin that is no URL": {"credentials: [{origin: 'https://[a.example', bearer: {token: 'env:PATH'}}]", "entry 1: origin: want a scheme, a host"},
		"no scheme":                {"credentials: [{origin: 'a.example:80', bearer: {token: 'env:PATH'}}]", "entry 1: origin: want a scheme, a host"},
		"a user in the origin":     {"credentials: [{origin: 'https://u@a.example', bearer: {token: 'env:PATH'}}]", "entry 1: origin: want a scheme, a host"},
		"an origin of no host":     {"credentials: [{origin: 'https://:443', bearer: {token: 'env:PATH'}}]", "entry 1: origin: want a scheme, a host"},
		"an origin of no port":     {"credentials: [{origin: 'https://a.example:', bearer: {token: 'env:PATH'}}]", "entry 1: origin: want a scheme, a host"},
		"an origin of no web":      {"credentials: [{origin: 'ftp://a.example', bearer: {token: 'env:PATH'}}]", "entry 1: origin: want a scheme, a host"},
		"two for an origin":        {origin + "bearer: {token: 'env:PATH'}}, {origin: 'https://A.example:443', bearer: {token: 'env:PATH'}}]", "entry 2 (https://a.example:443): origin: there is another"},
		"no kind":                  {origin + "}]", "entry 1 (https://a.example): it has 0 of bearer, basic, apiKey and oauth2: want one of these, mutualTLS, or both"},
		"two kinds":                {origin + "bearer: {token: 'env:PATH'}, basic: {username: u, password: 'env:PATH'}}]", "it has 2 of bearer, basic, apiKey and oauth2: want one"},
		"a secret in the file":     {origin + "bearer: {token: " + canary + "}}]", "bearer.token: want env: and the name of a variable, or file: and an absolute path"},
		"a place nobody knows":     {origin + "bearer: {token: 'vault:/secret'}}]", "bearer.token: want env: and the name of a variable"},
		"a client's secret":        {origin + "oauth2: {tokenURL: 'https://i.example/t', clientID: q, clientSecret: " + canary + "}}]", "oauth2.clientSecret: want env:"},
		"a path that is not whole": {origin + "bearer: {token: 'file:x'}}]", "absolute path"},
		"a variable not set":       {origin + "basic: {username: u, password: 'env:NOBODY_SETS_THIS'}}]", "basic.password: the environment variable NOBODY_SETS_THIS is not set"},
		"a file that is not there": {origin + "apiKey: {in: header, name: X-Key, value: 'file:/nowhere'}}]", "apiKey.value: stat /nowhere: no such file"},
		"a file for everybody":     {origin + "bearer: {token: 'file:" + everybody + "'}}]", "chmod 600"},
		"a secret of two lines":    {origin + "bearer: {token: 'file:" + write(t, "a\nb") + "'}}]", "more than one line"},
		"a header that is taken":   {origin + "apiKey: {in: header, name: Host, value: 'env:PATH'}}]", "apiKey.name: this header says something else"},
		"a header that is none":    {origin + "apiKey: {in: header, name: 'X Key', value: 'env:PATH'}}]", "apiKey.name: want one of letters"},
		"a header of gRPC's":       {origin + "apiKey: {in: header, name: Grpc-Key, value: 'env:PATH'}}]", "apiKey.name: this header says something else"},
		"a key without a name":     {origin + "apiKey: {in: query, value: 'env:PATH'}}]", "apiKey.name: want one of letters"},
		"a place that is none":     {origin + "apiKey: {in: body, name: k, value: 'env:PATH'}}]", "apiKey.in: want header, query or cookie"},
		"a token URL in the clear": {origin + "oauth2: {tokenURL: 'http://i.example/t', clientID: q, clientSecret: 'env:PATH'}}]", "http://i.example/t is not https and not on this machine"},
		"a token URL that is none": {origin + "oauth2: {tokenURL: " + canary + ", clientID: q, clientSecret: 'env:PATH'}}]", "oauth2.tokenURL: want the URL"},
		"a token URL of no host":   {origin + "oauth2: {tokenURL: 'https:///t', clientID: q, clientSecret: 'env:PATH'}}]", "oauth2.tokenURL: want the URL"},
		"a token URL of no port":   {origin + "oauth2: {tokenURL: 'https://i.example:x/t', clientID: q, clientSecret: 'env:PATH'}}]", "oauth2.tokenURL: want the URL"},
		"a token URL of no web":    {origin + "oauth2: {tokenURL: 'ftp://i.example/t', clientID: q, clientSecret: 'env:PATH'}}]", "oauth2.tokenURL: want the URL"},
		"a token URL with a user":  {origin + "oauth2: {tokenURL: 'https://" + canary + "@i.example/t', clientID: q, clientSecret: 'env:PATH'}}]", "oauth2.tokenURL: want the URL"},
		"a token URL with a query": {origin + "oauth2: {tokenURL: 'https://i.example/t?k=" + canary + "', clientID: q, clientSecret: 'env:PATH'}}]", "oauth2.tokenURL: want the URL"},
		"a token URL with a mark":  {origin + "oauth2: {tokenURL: 'https://i.example/t#k', clientID: q, clientSecret: 'env:PATH'}}]", "oauth2.tokenURL: want the URL"},
		"a certificate not there":  {origin + "mutualTLS: {certFile: /nowhere, keyFile: /nowhere}}]", "mutualTLS: read the certificate: stat /nowhere"},
		"no certificate":           {origin + "mutualTLS: {keyFile: /nowhere}}]", "mutualTLS.certFile: want an absolute path"},
		"a part of a path":         {origin + "mutualTLS: {certFile: /nowhere, keyFile: /nowhere, caFile: ca}}]", "mutualTLS.caFile: want an absolute path"},
		"a certificate over http":  {"credentials: [{origin: 'http://127.0.0.1', mutualTLS: {certFile: c, keyFile: k}}]", "origin: mutualTLS is for https"},
		"a certificate somewhere":  {origin + "mutualTLS: {certFile: c, keyFile: /k}}]", "mutualTLS.certFile: want an absolute path"},
		"a resource of no scheme":  {origin + "oauth2: {tokenURL: 'https://i.example/t', clientID: q, clientSecret: 'env:PATH', resource: a.example}}]", "oauth2.resource: want an absolute URI"},
		"a resource with a mark":   {origin + "oauth2: {tokenURL: 'https://i.example/t', clientID: q, clientSecret: 'env:PATH', resource: 'https://a.example/#'}}]", "oauth2.resource: want an absolute URI"},
		"a client id of lines":     {origin + "oauth2: {tokenURL: 'https://i.example/t', clientID: \"a\\nb\", clientSecret: 'env:PATH'}}]", "oauth2.clientID: want one of visible"},
		"no user":                  {origin + "basic: {password: 'env:PATH'}}]", "basic.username: want one of visible"},
		"a user of lines":          {origin + "basic: {username: \"a\\nb\", password: 'env:PATH'}}]", "basic.username: want one of visible"},
		"a user with a colon":      {origin + "basic: {username: 'a:b', password: 'env:PATH'}}]", "basic.username: want one of visible"},
		"in the clear":             {"credentials: [{origin: 'http://a.example', bearer: {token: 'env:PATH'}}]", "set insecure: true"},
		"insecure for nothing":     {origin + "insecure: true, bearer: {token: 'env:PATH'}}]", "insecure: nothing goes in the clear here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryOpen(t, test.text)
			if err == nil || fault.ReasonOf(err) != "CREDENTIALS_INVALID" || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Open(%s) = %v, want CREDENTIALS_INVALID with %q", test.text, err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), canary[:8]) {
				t.Errorf("Open(%s) = %v, which shows the secret", test.text, err)
			}
		})
	}
}

func TestAVariableThatNoHeaderCanHoldIsRefused(t *testing.T) {
	t.Setenv("LINES_OF_TEXT", "a\nb")
	if _, err := tryOpen(t, "credentials: [{origin: 'https://a.example', bearer: {token: 'env:LINES_OF_TEXT'}}]"); err == nil || !strings.Contains(err.Error(), "LINES_OF_TEXT has characters") {
		t.Errorf("Open() with a variable of two lines = %v, want it refused", err)
	}
}

// TestAKeysNameEndsNowhere has names with each character of ASCII, those with a meaning in headers, queries and cookies among them.
func TestAKeysNameEndsNowhere(t *testing.T) {
	t.Parallel()
	for c := range rune(0x80) {
		for _, name := range []string{"a" + string(c), string(c) + "a"} {
			_, err := tryOpen(t, fmt.Sprintf(`{"credentials": [{"origin": "https://a.example", "apiKey": {"in": "cookie", "name": %q, "value": "env:PATH"}}]}`, name))
			if want := regexp.MustCompile(`^[a-zA-Z0-9._-]+$`).MatchString(name); (err == nil) != want {
				t.Errorf("Open() with a key that is named %q = %v, want it accepted: %t", name, err, want)
			}
		}
	}
}

func TestWhatGoesInTheClearIsSaid(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c, err := agentauth.Open(agentauth.Config{
		File: write(t, "credentials: [{origin: 'http://a.example', insecure: true, bearer: {token: 'file:"+write(t, canary)+"'}}]"), Setting: "s", Policy: policy, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil || c.For(&url.URL{Scheme: "http", Host: "a.example"}) == nil {
		t.Errorf("Open() of what the operator wants in the clear = %v, want no error", err)
	}
	if got := log.String(); !strings.Contains(got, "in the clear") || !strings.Contains(got, "http://a.example") || strings.Contains(got, canary) {
		t.Errorf("the log is %q, want a warning that names the origin", got)
	}
}

func TestEachKindIsShownAsItsSpecificationSays(t *testing.T) {
	t.Parallel()
	secret := write(t, canary+"\n")
	for name, test := range map[string]struct {
		kind  string
		shown func(*http.Request) string
		want  string
	}{
		"bearer":                  {"bearer: {token: 'file:" + secret + "'}", header("Authorization"), "Bearer " + canary},
		"basic":                   {"basic: {username: u, password: 'file:" + secret + "'}", header("Authorization"), "Basic " + base64.StdEncoding.EncodeToString([]byte("u:"+canary))},
		"header":                  {"apiKey: {in: header, name: X-Key, value: 'file:" + secret + "'}", header("X-Key"), canary},
		"each end of ASCII":       {"apiKey: {in: header, name: X-Key, value: 'file:" + write(t, "! ~") + "'}", header("X-Key"), "! ~"},
		"query":                   {"apiKey: {in: query, name: host, value: 'file:" + secret + "'}", func(r *http.Request) string { return r.URL.RawQuery }, "a=b&host=" + canary},
		"cookie":                  {"apiKey: {in: cookie, name: key, value: 'file:" + secret + "'}", header("Cookie"), "key=" + canary},
		"a cookie that would end": {"apiKey: {in: cookie, name: key, value: 'file:" + write(t, "a; b,c") + "'}", header("Cookie"), "key=a%3B%20b%2Cc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serve(t, ok)
			c := open(t, "credentials: [{origin: '"+a.URL+"', "+test.kind+"}]")
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL+"/x?a=b", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := c.Client(policy.Client(netguard.ClientOptions{})).Do(req)
			if err != nil {
				t.Fatalf("GET = %v, want an answer", err)
			}
			if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("GET = %d, %v, want 200", resp.StatusCode, err)
			}
			if r, _ := a.last(t); test.shown(r) != test.want {
				t.Errorf("the agent was shown %q, want %q", test.shown(r), test.want)
			}
			for which, r := range map[string]*http.Request{"the request": req, "the answer's request": resp.Request} {
				if got := test.shown(r); got != "" && got != "a=b" {
					t.Errorf("%s has %q, want nothing of the secret", which, got)
				}
			}
		})
	}
}

func header(name string) func(*http.Request) string {
	return func(r *http.Request) string { return r.Header.Get(name) }
}

func TestOverGRPCACredentialIsMetadataOrNothingIsSent(t *testing.T) {
	t.Parallel()
	file := write(t, "k3y")
	for kind, want := range map[string]struct{ key, value, reason string }{
		"apiKey: {in: header, name: X-Key, value: 'file:" + file + "'}": {key: "x-key", value: "k3y"},
		"apiKey: {in: cookie, name: K, value: 'file:" + file + "'}":     {key: "cookie", value: "K=k3y"},
		"apiKey: {in: query, name: k, value: 'file:" + file + "'}":      {reason: agentauth.ReasonUnfit},
		"bearer: {token: 'file:" + file + "'}":                          {key: "authorization", value: "Bearer k3y"},

		"oauth2: {tokenURL: 'http://127.0.0.1:1/t', clientID: q, clientSecret: 'file:" + file + "'}": {reason: agentauth.ReasonUnavailable}, // there nobody answers
	} {
		c := open(t, "credentials: [{origin: 'https://a.example', "+kind+"}]")
		key, value, err := c.For(&url.URL{Scheme: "https", Host: "a.example"}).Metadata(t.Context())
		if key != want.key || value != want.value || fault.ReasonOf(err) != want.reason {
			t.Errorf("Metadata() of %s = %q, %q, %v, want %+v", kind, key, value, err, want)
		}
		if want.reason == agentauth.ReasonUnfit && !strings.Contains(err.Error(), "https://a.example") {
			t.Errorf("Metadata() of %s = %v, want the origin named", kind, err)
		}
	}
}

func TestAVariableIsShownOnce(t *testing.T) {
	t.Setenv("CANARY", canary)
	a := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	c := open(t, "credentials: [{origin: '"+a.URL+"', bearer: {token: 'env:CANARY'}}]")
	if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusUnauthorized {
		t.Errorf("POST = %d, %v, want 401", code, err)
	}
	if _, n := a.last(t); n != 1 {
		t.Errorf("the agent was asked %d times, want once: a variable is never newer", n)
	}
}

func TestACredentialIsForOneOriginOnly(t *testing.T) {
	t.Setenv("CANARY", canary)
	c := open(t, `{"credentials": [{"origin": "https://a.example", "bearer": {"token": "env:CANARY"}}, {"origin": "http://127.0.0.1:81", "bearer": {"token": "env:CANARY"}}]}`)
	for raw, want := range map[string]bool{
		"https://a.example": true, "https://a.example/x?y": true, "https://A.Example:443/": true,
		"http://a.example": false, "https://a.example:8443": false, "https://b.a.example": false, "https://a.example.": false, "https://a.example.evil.example": false,
		"http://127.0.0.1:81": true, "http://127.0.0.1": false, "http://127.0.0.2:81": false, "http://localhost:81": false,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.For(u) != nil; got != want {
			t.Errorf("For(%s) is there: %t, want %t", raw, got, want)
		}
	}
	var none *agentauth.Credentials
	if got := none.For(&url.URL{Scheme: "https", Host: "a.example"}); got != nil {
		t.Errorf("For() of no credentials = %v, want nil", got)
	}
}

func TestARedirectTakesNoCredentialAnywhere(t *testing.T) {
	t.Setenv("CANARY", canary)
	target := serve(t, ok)
	front := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, map[string]string{"/away": target.URL + "/", "/within": "/end"}[r.URL.Path], map[bool]int{true: 307, false: 200}[r.URL.Path != "/end"])
	})
	entry := func(a *agent) string { return "{origin: '" + a.URL + "', bearer: {token: 'env:CANARY'}}" }
	for name, test := range map[string]struct {
		entries, path string
		at            *agent
		want          string
	}{
		"to an origin without one":        {entry(front), "/away", target, ""},
		"to an origin that has its own":   {entry(front) + "," + entry(target), "/away", target, ""},
		"from an origin that has none":    {entry(target), "/away", target, ""},
		"within an origin the same holds": {entry(front), "/within", front, "Bearer " + canary},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, "credentials: ["+test.entries+"]")
			if _, err := post(t.Context(), c, front.URL+test.path); err != nil {
				t.Fatalf("POST = %v, want an answer", err)
			}
			if r, _ := test.at.last(t); r.Header.Get("Authorization") != test.want {
				t.Errorf("the agent was shown %q, want %q", r.Header.Get("Authorization"), test.want)
			}
		})
	}
}

// TestARedirectToAnotherSchemeTakesNoCredential has who is on the way of a request in the clear answer it with a redirect.
func TestARedirectToAnotherSchemeTakesNoCredential(t *testing.T) {
	t.Setenv("CANARY", canary)
	c := open(t, "credentials: [{origin: 'https://a.example', bearer: {token: 'env:CANARY'}}]")
	shown := map[string]string{}
	client := c.Client(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		shown[r.URL.String()] = r.Header.Get("Authorization")
		if r.URL.Scheme == "https" {
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
		}
		return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"https://a.example/pay"}}, Body: http.NoBody, Request: r}, nil
	})})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://a.example/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("POST = %v, want an answer", err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	if got, asked := shown["https://a.example/pay"]; !asked || got != "" {
		t.Errorf("the agent was asked: %t, and shown %q, want nothing", asked, got)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestARenewedSecretIsShownWithoutARestart(t *testing.T) {
	t.Parallel()
	secret := write(t, "old")
	a := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer new" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	c := open(t, "credentials: [{origin: '"+a.URL+"', bearer: {token: 'file:"+secret+"'}}]")
	if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusUnauthorized {
		t.Errorf("POST with an old secret = %d, %v, want 401", code, err)
	}
	if _, n := a.last(t); n != 1 {
		t.Errorf("the agent was asked %d times, want once: there was nothing newer", n)
	}
	rewrite(t, secret, "new")
	if code, err := post(t.Context(), c, a.URL); err != nil || code != http.StatusOK {
		t.Errorf("POST with a new secret = %d, %v, want 200 at once", code, err)
	}
	if r, n := a.last(t); n != 3 || r.ContentLength != 4 {
		t.Errorf("the agent was asked %d times, the last time with %d bytes, want 3 times and the whole body", n, r.ContentLength)
	}
	for name, body := range map[string]io.ReadCloser{"an empty body": http.NoBody, "no body": nil} {
		rewrite(t, secret, "old")
		c := open(t, "credentials: [{origin: '"+a.URL+"', bearer: {token: 'file:"+secret+"'}}]")
		rewrite(t, secret, "new")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Body = body
		resp, err := c.Client(policy.Client(netguard.ClientOptions{})).Do(req)
		if err != nil {
			t.Fatalf("GET with %s = %v, want an answer", name, err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("GET with %s and a new secret = %d, %v, want 200 at once", name, resp.StatusCode, err)
		}
	}
}

// TestARequestThatIsNotSentIsClosed has who writes a body not wait for a reader that does not come.
func TestARequestThatIsNotSentIsClosed(t *testing.T) {
	t.Parallel()
	c := open(t, "credentials: [{origin: 'https://a.example', oauth2: {tokenURL: 'http://127.0.0.1:1/t', clientID: q, clientSecret: 'file:"+write(t, canary)+"'}}]")
	closed := false
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://a.example", closer{strings.NewReader("body"), func() { closed = true }})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Client(policy.Client(netguard.ClientOptions{})).Do(req)
	if err == nil {
		t.Errorf("POST without a token = %d, %v, want an error", resp.StatusCode, resp.Body.Close())
	}
	if fault.ReasonOf(err) != agentauth.ReasonUnavailable || !closed {
		t.Errorf("POST without a token = %v, its body closed: %t, want %s and true", err, closed, agentauth.ReasonUnavailable)
	}
}

func TestAnAgentThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	c := open(t, "credentials: [{origin: 'http://127.0.0.1:1', bearer: {token: 'file:"+write(t, canary)+"'}}]")
	if code, err := post(t.Context(), c, "http://127.0.0.1:1"); err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("POST to nobody = %d, %v, want an error without the secret", code, err)
	}
}

func TestARenewedSecretThatNoHeaderCanHoldIsNotSent(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"a\x01b", "\x01b", "a\x7f", "schl\u00fcssel"} {
		file := write(t, "old")
		a := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			rewrite(t, file, secret)
			w.WriteHeader(http.StatusUnauthorized)
		})
		c := open(t, "credentials: [{origin: '"+a.URL+"', bearer: {token: 'file:"+file+"'}}]")
		if code, err := post(t.Context(), c, a.URL); fault.ReasonOf(err) != agentauth.ReasonUnavailable {
			t.Errorf("POST with the secret %q = %d, %v, want %s", secret, code, err, agentauth.ReasonUnavailable)
		}
		if _, n := a.last(t); n != 1 {
			t.Errorf("the agent was asked %d times, want once", n)
		}
	}
}

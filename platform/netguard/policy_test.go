package netguard_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

func TestWhatTheOperatorAllowsIsReached(t *testing.T) {
	port, _ := newTarget(t)
	for name, test := range map[string]struct {
		policy netguard.Policy
		url    string
		want   string // reason; empty means reached
	}{
		"loopback in development":                       {netguard.Policy{AllowLoopback: true}, "http://127.0.0.1:PORT/", ""},
		"the name of loopback in development":           {netguard.Policy{AllowLoopback: true}, "http://localhost:PORT/", ""},
		"a name that resolves to loopback there":        {netguard.Policy{AllowLoopback: true}, "http://inside.test:PORT/", ""},
		"an exact origin":                               {netguard.Policy{AllowOrigins: []string{"127.0.0.1:PORT"}}, "http://127.0.0.1:PORT/", ""},
		"an exact origin that names this host":          {netguard.Policy{AllowOrigins: []string{"localhost:PORT"}}, "http://localhost:PORT/", ""},
		"an exact origin in another spelling":           {netguard.Policy{AllowOrigins: []string{"[0::1]:PORT"}}, "http://[::1]:PORT/", ""},
		"an exact origin by name":                       {netguard.Policy{AllowOrigins: []string{"Inside.Test:PORT"}}, "http://inside.test.:PORT/", ""},
		"an origin outside the allowed ports":           {netguard.Policy{AllowOrigins: []string{"127.0.0.1:PORT"}, AllowPorts: []int{443}}, "http://127.0.0.1:PORT/", ""},
		"another port of an allowed host is not":        {netguard.Policy{AllowOrigins: []string{"127.0.0.1:1"}}, "http://127.0.0.1:PORT/", "ADDRESS_BLOCKED"},
		"another name for an allowed address is not":    {netguard.Policy{AllowOrigins: []string{"127.0.0.1:PORT"}}, "http://inside.test:PORT/", "ADDRESS_BLOCKED"},
		"development does not open private networks":    {netguard.Policy{AllowLoopback: true}, "http://private.test:PORT/", "ADDRESS_BLOCKED"},
		"0.0.0.0 is this machine in development":        {netguard.Policy{AllowLoopback: true}, "http://0.0.0.0:PORT/", ""},
		"development does not open the rest of 0/8":     {netguard.Policy{AllowLoopback: true}, "http://0.1.2.3:PORT/", "ADDRESS_BLOCKED"},
		"development does not open metadata":            {netguard.Policy{AllowLoopback: true}, "http://metadata.test:PORT/", "ADDRESS_BLOCKED"},
		"an allowed name that moves to metadata is not": {netguard.Policy{AllowOrigins: []string{"metadata.test:PORT"}}, "http://metadata.test:PORT/", "ADDRESS_BLOCKED"},
		"a port outside the allowed ones is not":        {netguard.Policy{AllowLoopback: true, AllowPorts: []int{80, 443}}, "http://127.0.0.1:PORT/", "ADDRESS_BLOCKED"},
	} {
		t.Run(name, func(t *testing.T) {
			policy := test.policy
			policy.Resolver = dnstest.NewResolver(t, attackNames)
			for i, origin := range policy.AllowOrigins {
				policy.AllowOrigins[i] = strings.ReplaceAll(origin, "PORT", port)
			}
			hc := policy.Client(netguard.ClientOptions{Timeout: 2 * time.Second})
			defer hc.CloseIdleConnections()
			_, err := get(t, hc, strings.ReplaceAll(test.url, "PORT", port))
			if got := fault.ReasonOf(err); got != test.want {
				t.Errorf("Get(%s) = %v with reason %q, want %q", test.url, err, got, test.want)
			}
		})
	}
}

func TestNoOptionPermitsMetadata(t *testing.T) {
	for _, address := range []string{
		"169.254.169.254", "fe80::a9fe:a9fe", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42",
		"fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fd00:100::100:200", "::ffff:169.254.169.254",
		"169.254.0.0", "169.254.255.255", "fe80::", "febf:ffff::1", "fd00:ec2:ffff::1", "fd20:ce:ffff::1", // the ends of networks
	} {
		origin := net.JoinHostPort(address, "80")
		policy := &netguard.Policy{AllowLoopback: true, AllowOrigins: []string{origin}, AllowPorts: []int{80}}
		err := policy.CheckURL(&url.URL{Scheme: "http", Host: origin})
		if fault.ReasonOf(err) != netguard.ReasonAddressBlocked || fault.From(err).Metadata[netguard.MetadataNever] == "" {
			t.Errorf("CheckURL(http://%s) of an allowed origin = %#v, want ADDRESS_BLOCKED, never to be lifted", origin, err)
		}
	}
	if err := (&netguard.Policy{}).CheckURL(&url.URL{Scheme: "http", Host: "10.0.0.1"}); fault.From(err).Metadata[netguard.MetadataNever] != "" {
		t.Errorf("CheckURL() of a private address = %#v, want what an operator can lift", err)
	}
	private := &netguard.Policy{AllowOrigins: []string{"[fd00:100::1]:80"}}
	if err := private.CheckURL(&url.URL{Scheme: "http", Host: "[fd00:100::1]:80"}); err != nil {
		t.Errorf("CheckURL() of another private address that is allowed = %v, want nil", err)
	}
}

func TestCheckURLAdmitsOrdinaryURLs(t *testing.T) {
	policy := &netguard.Policy{}
	for _, raw := range []string{
		"https://example.com", "http://example.com:8080/a?b=c#d", "https://EXAMPLE.com./", "https://xn--bcher-kva.example/", "https://a_b.example.com/",
		"https://1.1.1.1/", "https://[2606:4700:4700::1111]/", "https://3com.example/", "https://example.co.jp:8443/%E3%81%82", "HTTP://example.com/",
		"https://93.184.216.34:65535/", "https://bund.de/", "https://0a-9z-AZ.example/", "https://[2606:4700::1234:5efe:7f00:1]/", // neither hexadecimal nor ISATAP
		"https://[2606:4700::100:5efe:7f00:1]/", "https://[2606:4700::1:5efe:7f00:1]/", "https://[2606:4700::5ffe:7f00:1]/", "https://[2606:4700::5eff:7f00:1]/",
		"https://" + strings.Repeat("a", 63) + ".example/", "https://" + strings.Repeat("a.", 126) + "a/",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if err := policy.CheckURL(u); err != nil {
			t.Errorf("CheckURL(%q) = %v, want nil", raw, err)
		}
	}
	if err := policy.CheckURL(nil); fault.ReasonOf(err) != netguard.ReasonURLInvalid {
		t.Errorf("CheckURL(nil) = %v, want URL_INVALID", err)
	}
	longest := &url.URL{Scheme: "https", Host: "example.com", Path: "/" + strings.Repeat("a", netguard.MaxURL-len("https://example.com/"))}
	if err := policy.CheckURL(longest); err != nil {
		t.Errorf("CheckURL(a URL of %d bytes) = %v, want nil", netguard.MaxURL, err)
	}
	longest.Path += "a"
	if err := policy.CheckURL(longest); fault.ReasonOf(err) != netguard.ReasonURLInvalid {
		t.Errorf("CheckURL(a URL over %d bytes) = %v, want URL_INVALID", netguard.MaxURL, err)
	}
	if err := policy.CheckURL(&url.URL{Scheme: "https", Host: "example.com", Opaque: "//elsewhere.example"}); fault.ReasonOf(err) != netguard.ReasonURLInvalid {
		t.Errorf("CheckURL(a URL that asks one host for a page of another) = %v, want URL_INVALID", err)
	}
}

func TestCheckURLRefusesNamesThatAreNone(t *testing.T) {
	policy := &netguard.Policy{AllowLoopback: true}
	for _, host := range []string{
		"exa mple.com", "ex%61mple.com", `ex\ample.com`, "[2606:4700::1111%lo]", "ex\u00e4mple.com", "\u2460\u2461\u2466.example", "a,b.example", "a..example", ".", "0x7f", "a.0x1f", "a.99",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 127) + "a",
	} {
		if err := policy.CheckURL(&url.URL{Scheme: "https", Host: host}); fault.ReasonOf(err) != netguard.ReasonURLInvalid {
			t.Errorf("CheckURL(a URL of the host %q) = %v, want URL_INVALID", host, err)
		}
	}
}

func TestClientReadsABoundedHead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("a", 300<<10))
	}))
	defer server.Close()
	policy := &netguard.Policy{AllowLoopback: true}
	if status, err := get(t, policy.Client(netguard.ClientOptions{}), server.URL); err == nil {
		t.Errorf("Get of 300 KiB of response headers answered %d, want an error: the limit is 256 KiB", status)
	}
}

// closer is a body that notes that it was closed.
type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

func TestABodyThatIsNotSentIsClosed(t *testing.T) {
	t.Parallel()
	body := &closer{Reader: strings.NewReader("body")}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := new(netguard.Policy).Client(netguard.ClientOptions{}).Do(req) //nolint:bodyclose // by closing
	if err == nil {
		closing(t, resp.Body)
	}
	if fault.ReasonOf(err) != netguard.ReasonAddressBlocked || !body.closed {
		t.Errorf("POST to loopback = %v, its body closed: %t, want ADDRESS_BLOCKED and true", err, body.closed)
	}
}

func TestClientIgnoresProxiesOfTheEnvironment(t *testing.T) {
	port, reached := newTarget(t)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:"+port)
	t.Setenv("http_proxy", "http://127.0.0.1:"+port)
	policy := &netguard.Policy{Resolver: dnstest.NewResolver(t, attackNames)}
	_, err := get(t, policy.Client(netguard.ClientOptions{Timeout: 2 * time.Second}), "http://private.test/")
	if fault.ReasonOf(err) != netguard.ReasonAddressBlocked || reached.Load() != 0 {
		t.Errorf("Get through an environment proxy = %v, reached %d, want ADDRESS_BLOCKED and 0", err, reached.Load())
	}
}

func TestRedirectsKeepSecretsAtTheirOrigin(t *testing.T) {
	var got []http.Header
	var first, second *httptest.Server
	first = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Clone())
		if next := map[string]string{"/": "/moved", "/moved": second.URL}[r.URL.Path]; next != "" {
			http.Redirect(w, r, next, http.StatusTemporaryRedirect)
		}
	}))
	defer first.Close()
	second = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Clone())
		http.Redirect(w, r, map[string]string{"/": "/again", "/again": first.URL + "/back"}[r.URL.Path], http.StatusTemporaryRedirect)
	}))
	defer second.Close()

	policy := &netguard.Policy{AllowLoopback: true}
	hc := policy.Client(netguard.ClientOptions{MaxRedirects: 4})
	defer hc.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, first.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret") // net/http itself keeps it for another port of the host
	req.Header.Set("X-Api-Key", "secret")
	req.Header.Set("Accept", "text/html")
	req.Header.Set("User-Agent", "quorate")
	resp, err := hc.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, resp.Body)
	if len(got) != 5 {
		t.Fatalf("the servers got %d requests, want 5: two of the first origin, two of the other, and one that comes back from there", len(got))
	}
	if got[1].Get("Authorization") == "" || got[1].Get("X-Api-Key") == "" {
		t.Errorf("after a redirect to the same origin the server got %v, want the same headers", got[1])
	}
	for i, header := range got[2:] {
		for _, name := range []string{"Authorization", "X-Api-Key", "Referer"} {
			if v := header.Get(name); v != "" {
				t.Errorf("after %d redirects the server got %s: %q, want nothing", i+2, name, v)
			}
		}
		if header.Get("Accept") != "text/html" || header.Get("User-Agent") != "quorate" {
			t.Errorf("after %d redirects the server got %v, want what describes the client", i+2, header)
		}
	}
}

func TestRedirectsAreCounted(t *testing.T) {
	loop := httptest.NewServer(http.RedirectHandler("/", http.StatusFound))
	defer loop.Close()
	policy := &netguard.Policy{AllowLoopback: true}
	if status, err := get(t, policy.Client(netguard.ClientOptions{}), loop.URL); err != nil || status != http.StatusFound {
		t.Errorf("Get with MaxRedirects 0 = %d, %v, want the redirect itself", status, err)
	}
	if _, err := get(t, policy.Client(netguard.ClientOptions{MaxRedirects: 3}), loop.URL); fault.ReasonOf(err) != "TOO_MANY_REDIRECTS" {
		t.Errorf("Get of a redirect loop = %v, want TOO_MANY_REDIRECTS", err)
	}
}

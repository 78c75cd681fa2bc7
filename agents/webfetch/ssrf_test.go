package webfetch_test

import (
	"context"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/browser"
	"github.com/quorate/quorate/agents/webfetch/pace"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/netguard"
)

// attackHosts are hosts that a fetch must never connect to, with the port of a listener on this machine or with none.
var attackHosts = strings.Fields(`
127.0.0.1 127.0.0.2 127.1.2.3 127.255.255.254 127.0.0.1. localhost LOCALHOST LocalHost localhost. a.localhost a.b.localhost. localhost.localdomain
0.0.0.0 0.0.0.1 0.255.255.255 [::1] [::] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::0]
0 1 127.1 127.0.1 127.0.0 0.0 0x7f.1 0x7f.0.0.1 0X7F.0.0.0X1 0x7f000001 0x7F000001 0x7f.0x0.0x0.0x1 0177.0.0.1 0177.1 0177.0.0.01 017700000001 00177.0.0.1
2130706433 02130706433 4294967295 4294967296 127.0.0.01 127.00.0.1 127.0.0.0x1 127.0.0.1.1 0x 0x.0x 08.0.0.1 1.1.1.256 256.0.0.1 999.999.999.999
①②⑦.⓪.⓪.① １２７.0.0.1 127。0。0。1 127．0．0．1 127｡0｡0｡1 ⅼocalhost ｌocalhost l` + "\u00ad" + `ocalhost loca` + "\u200b" + `lhost LOCAL` + "\u212a" + `HOST 127.0.0.1` + "\u3002" + ` ⑴.1
[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:127.0.0.1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0:127.0.0.1] [::127.0.0.1] [::7f00:1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::ffff:0.0.0.0]
[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b::10.0.0.1] [64:ff9b:1::127.0.0.1] [64:ff9b:1::7f00:1]
[2002:7f00:1::] [2002:7f00:0001::1] [2002:a00:1::] [2002:a9fe:a9fe::] [2002:c0a8:101::1] [2001:0:0:0:0:0:80ff:fffe] [2001::1] [2001:0:53aa:64c:0:fbff:80ff:fffe]
[2606:4700::5efe:127.0.0.1] [2606:4700::200:5efe:7f00:1] [2606:4700::5efe:a00:1]
[::1%25lo] [fe80::1%25eth0] [fe80::1%25lo] [::ffff:127.0.0.1%25lo] [2606:4700::1111%25lo] [::1%25] [::1%2525lo]
10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1 192.168.255.255 100.64.0.1 100.127.255.255 169.254.0.1 169.254.255.255
192.0.0.1 192.0.0.8 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
224.0.0.1 233.252.0.1 239.255.255.255 240.0.0.1 254.255.255.254 255.255.255.255
[fc00::1] [fd00::1] [fdff:ffff::1] [fe80::1] [febf::1] [fec0::1] [feff::1] [ff02::1] [ff0e::1] [100::1] [100:0:0:1::1] [2001:db8::1] [2001:2::1] [2001:3::1] [2001:4:112::1] [2001:10::1] [2001:20::1] [2001:30::1]
[3fff::1] [5f00::1] [4000::1] [8000::1] [e000::1] [2620:4f:8000::1] [::2] [1::1]
169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 192.0.0.192 168.63.129.16 [fd00:ec2::254] [fd00:ec2::23] [fd20:ce::254] [fd00:42::42] 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
loopback.test loopback6.test mapped.test any.test private.test both.test nat64.test metadata.test sixtofour.test cgnat.test
`)

// attackShapes are URLs that no client should send; HOST is a listener on this machine.
var attackShapes = strings.Fields(`
http://user@HOST/ http://user:pw@HOST/ http://example.com@HOST/ http://93.184.216.34@HOST/ http://HOST@loopback.test/ http://93.184.216.34%40HOST/ http://HOST%23@93.184.216.34/
http://93.184.216.34\@HOST/ http:\\HOST/ http:/HOST http:HOST http:///HOST //HOST/ ///HOST HOST http://HOST%00.example.com/ http://HOST%2f.example.com/ http://%31%32%37.0.0.1/ http://127%2e0%2e0%2e1/
file:///etc/passwd file://HOST/etc/passwd FILE:///etc/passwd ftp://HOST/ gopher://HOST/_INFO dict://HOST/info ldap://HOST/ tftp://HOST/x jar:http://HOST/!/ unix:///var/run/docker.sock http+unix://%2fvar%2frun%2fdocker.sock/x
netdoc:///etc/passwd view-source:http://HOST/ javascript:fetch("http://HOST/") data:text/html,x blob:http://HOST/x ws://HOST/ wss://HOST/ about:blank raw:http://HOST/
http://93.184.216.34:22/ http://93.184.216.34:25/ http://93.184.216.34:53/ http://93.184.216.34:111/ http://93.184.216.34:135/ http://93.184.216.34:389/ http://93.184.216.34:445/ http://93.184.216.34:1433/ http://93.184.216.34:2375/
http://93.184.216.34:2379/ http://93.184.216.34:3306/ http://93.184.216.34:5432/ http://93.184.216.34:6379/ http://93.184.216.34:11211/ http://93.184.216.34:27017/ http://93.184.216.34:0/ http://93.184.216.34:65536/ http://93.184.216.34:-1/
http://93.184.216.34:80:80/ http://:80/ http:// http://./ http://../ http://a..b/ http://[::1/ http://[::1]x/ http://[127.0.0.1]/ http://[]/ http://#HOST http://?@HOST/
`)

// attackNames answer as an attacker's name server would; rebound.test moves after its first answer.
var attackNames = map[string][][]string{
	"loopback.test": {{"127.0.0.1"}}, "loopback6.test": {{"::1"}}, "mapped.test": {{"::ffff:127.0.0.1"}}, "any.test": {{"0.0.0.0", "::"}}, "private.test": {{"192.168.0.1"}},
	"both.test": {{"10.0.0.1", "127.0.0.1", "::1"}}, "nat64.test": {{"64:ff9b::7f00:1"}}, "metadata.test": {{"169.254.169.254"}}, "sixtofour.test": {{"2002:7f00:1::"}},
	"cgnat.test": {{"100.64.0.1"}}, "rebound.test": {{"93.184.216.34"}, {"127.0.0.1"}}, "localhost.localdomain": {{"127.0.0.1"}},
}

// attackURLs returns every attack against a port of this machine.
func attackURLs(port string) []string {
	var list []string
	for _, host := range attackHosts {
		list = append(list, "http://"+host+":"+port+"/", "http://"+host+"/", "https://"+host+":"+port+"/")
	}
	for _, shape := range attackShapes {
		list = append(list, strings.ReplaceAll(shape, "HOST", "127.0.0.1:"+port))
	}
	return list
}

// newVictim listens on every address of this machine and counts who comes.
func newVictim(t *testing.T) (port string, reached *atomic.Int64) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	reached = new(atomic.Int64)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") }))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			reached.Add(1)
		}
	}
	_ = s.Listener.Close() // it has another one
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	if _, port, err = net.SplitHostPort(l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	return port, reached
}

// ports returns the web's ports and one more, so that it is the address that has to be refused.
func ports(t *testing.T, port string) []int {
	t.Helper()
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return []int{80, 443, 8080, 8443, n}
}

// refusals are how an attack may end: it was seen for what it is, or its host has no address.
var refusals = map[webfetch.Code]bool{webfetch.CodeSSRF: true, webfetch.CodeInvalidURL: true, webfetch.CodeScheme: true, webfetch.CodeDNS: true, webfetch.CodePort: true}

func TestNoAttackReachesThisMachine(t *testing.T) {
	port, reached := newVictim(t)
	urls := attackURLs(port)
	if n := len(attackHosts) + len(attackShapes); n < 150 {
		t.Fatalf("there are %d attacks, want at least 150", n)
	}
	f := newFetcher(t, webfetch.Options{Open: true, Policy: &netguard.Policy{AllowPorts: ports(t, port), Resolver: dnstest.NewResolver(t, attackNames)}})
	for _, raw := range urls {
		for _, req := range []webfetch.Request{{URL: raw, Timeout: 5 * time.Second}, {URL: raw, Profile: "001", Timeout: 5 * time.Second}} {
			p, err := f.Fetch(t.Context(), req)
			code := webfetch.CodeOf(err)
			if err == nil || !refusals[code] || reached.Load() != 0 {
				t.Fatalf("Fetch(%q, profile %q) = %q (%s), %v, reached %d, want a refusal", raw, req.Profile, p.Content, code, err, reached.Load())
			}
			if strings.Contains(p.Error, "secret") {
				t.Errorf("Fetch(%q) says %q, want nothing of what is there", raw, p.Error)
			}
		}
	}
}

func TestNoRedirectReachesThisMachine(t *testing.T) {
	port, reached := newVictim(t)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		http.NotFound(w, r)
	}))
	defer front.Close()
	host := front.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{Open: true, Policy: &netguard.Policy{AllowOrigins: []string{host}, AllowPorts: ports(t, port), Resolver: dnstest.NewResolver(t, attackNames)}, IgnoreRobots: true, Pace: pace.Options{PerSecond: 1e6, Burst: 1e6}})
	for _, raw := range attackURLs(port) {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: front.URL + "/?to=" + url.QueryEscape(raw), Timeout: 5 * time.Second, Profile: "001"})
		if reached.Load() != 0 || strings.Contains(p.Content, "secret") {
			t.Fatalf("Fetch(a redirect to %q) = %+v, %v, reached %d, want a refusal", raw, p, err, reached.Load())
		}
	}
}

// TestRebinding has a name move to this machine after somebody looked it up and found a public address.
func TestRebinding(t *testing.T) {
	port, reached := newVictim(t)
	resolver := dnstest.NewResolver(t, attackNames)
	f := newFetcher(t, webfetch.Options{Open: true, AllowedHosts: []string{"rebound.test:" + port}, Policy: &netguard.Policy{Resolver: resolver}})
	if first, err := resolver.LookupHost(t.Context(), "rebound.test"); err != nil || len(first) != 1 || first[0] != "93.184.216.34" {
		t.Fatalf("LookupHost(rebound.test) = %v, %v, want the public address", first, err)
	}
	for range 3 {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: "http://rebound.test:" + port + "/", Timeout: 5 * time.Second})
		if p.ErrorCode != webfetch.CodeSSRF || reached.Load() != 0 || strings.Contains(p.Error, "127.0.0.1") {
			t.Fatalf("Fetch(a name that moved) = %+v, %v, reached %d, want ssrf_blocked without the address", p, err, reached.Load())
		}
	}
}

func TestPorts(t *testing.T) {
	f := newFetcher(t, webfetch.Options{Open: true, Policy: &netguard.Policy{AllowPorts: nil}, AllowedHosts: []string{"*.example.com:9999", "plain.example"}})
	for raw, want := range map[string]webfetch.Code{
		"http://a.example/": "", "https://a.example:8443/": "", "http://a.example:3000/": webfetch.CodePort, "http://a.example:9999/": webfetch.CodePort, "http://b.example.com:9999/": "",
		"http://plain.example:3000/": webfetch.CodePort, "http://plain.example:8080/": "", "http://a.example:22/": webfetch.CodeSSRF,
	} {
		if _, refused := f.Test(t.Context(), webfetch.Request{URL: raw}); refused.ErrorCode != want {
			t.Errorf("Test(%s) = %+v, want %q", raw, refused, want)
		}
	}
}

// TestNoServiceIsToldOfAnAttack checks the URLs before a remote service, which would fetch them itself.
func TestNoServiceIsToldOfAnAttack(t *testing.T) {
	port, _ := newVictim(t)
	told := &teller{}
	f := newFetcher(t, webfetch.Options{Open: true, Profile: "003", Remote: told, Policy: &netguard.Policy{Resolver: dnstest.NewResolver(t, attackNames)}})
	for _, raw := range append(attackURLs(port), "http://93.184.216.34/%2e%2e%40x", "http://93.184.216.34/a%20b") {
		_, _ = f.Fetch(t.Context(), webfetch.Request{URL: raw, Timeout: 5 * time.Second}) // whether the service is told is the question
	}
	for _, raw := range told.urls {
		if u, err := url.Parse(raw); err != nil || u.Host != "93.184.216.34" {
			t.Errorf("the service was told of %q, want public addresses only", raw)
		}
	}
	if len(told.urls) == 0 {
		t.Error("the service was told of nothing, want the honest URLs")
	}
}

type teller struct{ urls []string }

// Markdown implements webfetch.MarkdownService.
func (s *teller) Markdown(_ context.Context, u *url.URL) (string, error) {
	s.urls = append(s.urls, u.String())
	return "text", nil
}

// pagesOf answers /N with a page whose images are so many of the urls from the Nth on.
func pagesOf(urls []string, perPage int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		first, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || first >= len(urls) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for _, u := range urls[first:min(first+perPage, len(urls))] {
			_, _ = io.WriteString(w, "<img src=\""+html.EscapeString(u)+"\">")
		}
		_, _ = io.WriteString(w, "<p>The page itself.</p>")
	}
}

// TestNoAttackReachesThisMachineFromABrowser has a page ask for every attack, in a Chromium behind the guard.
func TestNoAttackReachesThisMachineFromABrowser(t *testing.T) {
	chromium, ok := browser.Find(browser.Options{NoSandbox: os.Geteuid() == 0})
	if !ok && config.Env("QUORATE_CI") == "1" {
		t.Fatal("there is no Chromium, and CI has to test with one")
	}
	if !ok {
		t.Skip("there is no Chromium here; install one, such as apt-get install chromium")
	}
	port, reached := newVictim(t)
	const perPage = 100 // a page has 300 connections
	var urls []string
	for _, host := range attackHosts {
		urls = append(urls, "http://"+host+":"+port+"/")
	}
	for _, shape := range attackShapes {
		if strings.Contains(shape, "HOST") {
			urls = append(urls, strings.ReplaceAll(shape, "HOST", "127.0.0.1:"+port))
		}
	}
	front := httptest.NewServer(pagesOf(urls, perPage))
	defer front.Close()
	host := front.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{
		Open: true, Browser: chromium, IgnoreRobots: true,
		Policy: &netguard.Policy{AllowOrigins: []string{host}, AllowPorts: ports(t, port), Resolver: dnstest.NewResolver(t, attackNames)},
	})
	for first := 0; first < len(urls); first += perPage {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: front.URL + "/" + strconv.Itoa(first), Render: webfetch.RenderAlways, Timeout: time.Minute})
		if err != nil || !p.Rendered || !strings.Contains(p.Content, "The page itself") || reached.Load() != 0 {
			t.Fatalf("Fetch(a page of attacks from %d) = %+v, %v, reached %d, want the page and nobody reached", first, p, err, reached.Load())
		}
	}
	if len(urls) < 150 {
		t.Errorf("the page tried %d attacks, want at least 150", len(urls))
	}
}

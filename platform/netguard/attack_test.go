package netguard_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/dnstest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// attacks are URLs that must never reach anything here; PORT becomes the port of a live listener on loopback.
var attacks = []string{
	// Loopback by address and by name.
	"http://127.0.0.1:PORT/", "http://127.0.0.2:PORT/", "http://127.255.255.254:PORT/", "http://127.0.0.1/",
	"http://localhost:PORT/", "http://LOCALHOST:PORT/", "http://localhost.:PORT/", "http://app.localhost:PORT/",
	"http://0.0.0.0:PORT/", "http://0.1.2.3:PORT/", "http://[::1]:PORT/", "http://[0:0:0:0:0:0:0:1]:PORT/", "http://[::]:PORT/",
	// Numbers in disguise.
	"http://0:PORT/", "http://127.1:PORT/", "http://127.0.1:PORT/", "http://2130706433:PORT/", "http://0x7f000001:PORT/",
	"http://0x7f.1:PORT/", "http://0x7F.0.0.0x1:PORT/", "http://0177.0.0.1:PORT/", "http://017700000001:PORT/",
	"http://127.0.0.01:PORT/", "http://127.0.0.1.:PORT/", "http://0x:PORT/", "http://4294967295:PORT/",
	"http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:PORT/", "http://127\u30020\u30020\u30021:PORT/", "http://l\u00adocalhost:PORT/",
	"http://\uff11\uff12\uff17.0.0.1:PORT/", "http://127.0.0.1%00.example.com:PORT/", "http://%31%32%37.0.0.1:PORT/",
	// IPv4 inside IPv6.
	"http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://[::127.0.0.1]:PORT/", "http://[::ffff:0:127.0.0.1]:PORT/",
	"http://[64:ff9b::127.0.0.1]:PORT/", "http://[64:ff9b:1::7f00:1]:PORT/", "http://[2002:7f00:1::]:PORT/", "http://[2002:a9fe:a9fe::1]:PORT/",
	"http://[2001:0:53aa:64c:0:fbff:80ff:fffe]:PORT/", "http://[2606:4700::5efe:127.0.0.1]:PORT/", "http://[2606:4700::200:5efe:7f00:1]:PORT/",
	// Zones.
	"http://[::1%25lo]:PORT/", "http://[fe80::1%25eth0]:PORT/", "http://[2606:4700::1111%25lo]:PORT/", "http://[::ffff:127.0.0.1%25lo]:PORT/",
	// Private, shared, link-local, reserved.
	"http://10.0.0.1:PORT/", "http://172.16.0.1:PORT/", "http://172.31.255.255:PORT/", "http://192.168.1.1:PORT/", "http://100.64.0.1:PORT/",
	"http://169.254.1.1:PORT/", "http://192.0.0.8:PORT/", "http://192.0.2.1:PORT/", "http://192.31.196.1:PORT/", "http://192.52.193.1:PORT/",
	"http://192.88.99.1:PORT/", "http://192.175.48.1:PORT/", "http://198.18.0.1:PORT/", "http://198.19.255.255:PORT/", "http://198.51.100.1:PORT/",
	"http://203.0.113.1:PORT/", "http://224.0.0.1:PORT/", "http://239.255.255.250:PORT/", "http://240.0.0.1:PORT/", "http://255.255.255.255:PORT/",
	"http://[fc00::1]:PORT/", "http://[fd12:3456::1]:PORT/", "http://[fe80::1]:PORT/", "http://[fec0::1]:PORT/", "http://[ff02::1]:PORT/",
	"http://[100::1]:PORT/", "http://[2001:db8::1]:PORT/", "http://[2001:2::1]:PORT/", "http://[2001:10::1]:PORT/", "http://[3fff::1]:PORT/",
	"http://[5f00::1]:PORT/", "http://[4000::1]:PORT/", "http://[2620:4f:8000::1]:PORT/",
	// Metadata services.
	"http://169.254.169.254/latest/meta-data/", "http://169.254.170.2/v2/credentials", "http://100.100.100.200/latest/", "http://192.0.0.192/opc/v2/",
	"http://168.63.129.16/metadata", "http://[fd00:ec2::254]/latest/", "http://[fd20:ce::254]/", "http://[::ffff:169.254.169.254]/",
	"http://[64:ff9b::a9fe:a9fe]/", "http://2852039166/", "http://0xa9fea9fe/", "http://metadata.test/",
	// Names that resolve to what is forbidden.
	"http://loopback.test:PORT/", "http://loopback6.test:PORT/", "http://mapped.test:PORT/", "http://both.test:PORT/", "http://private.test:PORT/",
	"http://any.test:PORT/", "http://nat64.test:PORT/", "http://empty.test:PORT/",
	// Shapes that no client should send.
	"http://user@127.0.0.1:PORT/", "http://example.com@127.0.0.1:PORT/", "http://127.0.0.1:PORT@loopback.test:PORT/", "http://user:secret@example.com/",
	"http:127.0.0.1:PORT", "http:///127.0.0.1:PORT", "//127.0.0.1:PORT/", "http://:PORT/", "http://a..b:PORT/", "http://.:PORT/",
	"file:///etc/passwd", "ftp://127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/_INFO", "unix:///var/run/docker.sock", "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
	"javascript:alert(1)", "data:text/html,hi", "jar:http://127.0.0.1:PORT/!/", "ws://127.0.0.1:PORT/",
	"ftp://93.184.216.34:80/", "ws://93.184.216.34:80/", "http:93.184.216.34:80",
	// Ports of other protocols, on a public address.
	"http://93.184.216.34:22/", "http://93.184.216.34:25/", "http://93.184.216.34:53/", "http://93.184.216.34:6379/", "http://93.184.216.34:11211/",
	"http://93.184.216.34:0/", "http://93.184.216.34:65536/", "http://example.com:5432/", "https://example.com:465/",
}

var attackNames = map[string][][]string{
	"loopback.test":  {{"127.0.0.1"}},
	"loopback6.test": {{"::1"}},
	"mapped.test":    {{"::ffff:127.0.0.1"}},
	"both.test":      {{"127.0.0.1", "::1", "10.0.0.1", "fd00::1"}},
	"private.test":   {{"192.168.0.1"}},
	"any.test":       {{"0.0.0.0", "::"}},
	"nat64.test":     {{"64:ff9b::7f00:1"}},
	"metadata.test":  {{"169.254.169.254"}},
	"public.test":    {{"93.184.216.34"}, {"127.0.0.1"}},
	"inside.test":    {{"127.0.0.1"}},
	"empty.test":     {{}},
}

// newTarget starts a server on every loopback address under one port, and counts what reaches it.
func newTarget(t *testing.T) (port string, reached *atomic.Int64) {
	t.Helper()
	reached = new(atomic.Int64)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "reached") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			reached.Add(1)
		}
	}
	closing(t, server.Listener)
	server.Listener = listenAny(t)
	server.Start()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port, reached
}

func listenAny(t *testing.T) net.Listener {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", ":0") // all addresses of this host, both families
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func get(t *testing.T, hc *http.Client, raw string) (status int, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, raw, http.NoBody)
	if err != nil {
		return 0, err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return 0, err
	}
	defer closing(t, resp.Body)
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

func closing(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
}

func TestNoAttackReachesAListener(t *testing.T) {
	port, reached := newTarget(t)
	policy := &netguard.Policy{Resolver: dnstest.NewResolver(t, attackNames)}
	hc := policy.Client(netguard.ClientOptions{Timeout: 2 * time.Second, MaxRedirects: 5})
	defer hc.CloseIdleConnections()

	for _, attack := range attacks {
		t.Run(attack, func(t *testing.T) {
			raw := strings.ReplaceAll(attack, "PORT", port)
			status, err := get(t, hc, raw)
			if err == nil {
				t.Fatalf("Get(%q) answered %d, want a refusal", raw, status)
			}
			if reached.Load() != 0 {
				t.Fatalf("Get(%q) reached a listener on this host", raw)
			}
			if _, err := url.Parse(raw); err != nil || attack == "http://empty.test:PORT/" {
				return // no URL at all, or no address: there is nothing to refuse
			}
			if reason := fault.ReasonOf(err); reason != netguard.ReasonAddressBlocked && reason != netguard.ReasonURLInvalid {
				t.Errorf("Get(%q) = %v with reason %q, want ADDRESS_BLOCKED or URL_INVALID", raw, err, reason)
			}
		})
	}
}

func TestDialRefusesWhatCheckURLNeverSaw(t *testing.T) {
	port, reached := newTarget(t)
	policy := &netguard.Policy{Resolver: dnstest.NewResolver(t, attackNames), AllowOrigins: []string{net.JoinHostPort("fe80::1%lo", port)}} // which no option permits
	for _, host := range []string{"127.0.0.1", "::1", "::1%lo", "fe80::1%lo", "::ffff:127.0.0.1", "0x7f.1", "2130706433", "127.1", "localhost", "loopback.test", "", "0"} {
		conn, err := policy.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
		if err == nil {
			closing(t, conn)
			t.Errorf("DialContext(%q) connected, want a refusal", host)
		}
		if _, ok := errors.AsType[*fault.Error](err); !ok {
			t.Errorf("DialContext(%q) = %v, want a fault", host, err)
		}
	}
	if conn, err := policy.DialContext(t.Context(), "tcp", "93.184.216.34"); fault.ReasonOf(err) != netguard.ReasonURLInvalid {
		t.Errorf("DialContext() without a port = %v, %v, want URL_INVALID", conn, err)
	}
	for _, network := range []string{"udp", "unix"} {
		conn, err := policy.DialContext(t.Context(), network, net.JoinHostPort("93.184.216.34", port))
		if err == nil {
			closing(t, conn)
		}
		if fault.ReasonOf(err) != netguard.ReasonAddressBlocked {
			t.Errorf("DialContext(%q) = %v, want ADDRESS_BLOCKED", network, err)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached a listener on this host, want 0", n)
	}
}

func TestRebindingIsRefusedAtTheDial(t *testing.T) {
	port, reached := newTarget(t)
	resolver := dnstest.NewResolver(t, attackNames)
	policy := &netguard.Policy{Resolver: resolver}
	hc := policy.Client(netguard.ClientOptions{Timeout: 2 * time.Second})

	// A guard that resolves, checks and then fetches sees the public address here.
	first, err := resolver.LookupHost(t.Context(), "public.test")
	if err != nil || len(first) != 1 || first[0] != "93.184.216.34" {
		t.Fatalf("LookupHost(public.test) = %v, %v, want the public address", first, err)
	}
	_, err = get(t, hc, "http://public.test:"+port+"/")
	if got := fault.ReasonOf(err); got != netguard.ReasonAddressBlocked {
		t.Errorf("Get(public.test) = %v, want ADDRESS_BLOCKED", err)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached the listener, want 0", n)
	}
	if text := fault.From(err).Message; strings.Contains(text, "127.0.0.1") {
		t.Errorf("message %q tells what the name resolved to", text)
	}
	if !strings.Contains(err.Error(), "refused to connect to 127.0.0.1:"+port) {
		t.Errorf("Get(public.test) = %v, want the log to tell what the name resolved to", err)
	}
}

func TestRedirectsAreChecked(t *testing.T) {
	port, reached := newTarget(t)
	for _, attack := range attacks {
		target := strings.ReplaceAll(attack, "PORT", port)
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", target)
			w.WriteHeader(http.StatusFound)
		}))
		policy := &netguard.Policy{AllowOrigins: []string{front.Listener.Addr().String()}, Resolver: dnstest.NewResolver(t, attackNames)}
		hc := policy.Client(netguard.ClientOptions{Timeout: 2 * time.Second, MaxRedirects: 3})
		if status, err := get(t, hc, front.URL); err == nil && !strings.HasPrefix(attack, "http:127") && !strings.HasPrefix(attack, "http:///") {
			t.Errorf("Get(redirect to %q) answered %d, want a refusal", target, status)
		}
		hc.CloseIdleConnections()
		front.Close()
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d connections reached a listener on this host, want 0", n)
	}
}

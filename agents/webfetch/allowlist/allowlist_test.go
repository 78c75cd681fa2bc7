package allowlist_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/allowlist/allowlisttest"
	"github.com/quorate/quorate/platform/fault"
)

func TestMemory(t *testing.T) {
	allowlisttest.Run(t, func(*testing.T) allowlist.Store { return &allowlist.Memory{} })
}

func TestParse(t *testing.T) {
	for text, want := range map[string]allowlist.Domain{
		"example.com": "example.com", "Example.COM.": "example.com", "*.example.com": "*.example.com", "*.Sub.Example.com.": "*.sub.example.com",
		"example.com:8443": "example.com:8443", "*.example.com:8443": "*.example.com:8443", "例え.テスト": "xn--r8jz45g.xn--zckzah",
		"*.bücher.example": "*.xn--bcher-kva.example", "127.0.0.1:43211": "127.0.0.1:43211", "[::1]:80": "[::1]:80", "[0::1]": "[::1]", "[::ffff:192.0.2.1]:80": "192.0.2.1:80",
		"localhost": "localhost", "localhost:8080": "localhost:8080", "foo.github.io": "foo.github.io", "*.foo.github.io": "*.foo.github.io",
		"*.example.co.jp": "*.example.co.jp", "a_b.example.com": "a_b.example.com",
	} {
		if got, err := allowlist.Parse(text); got != want || err != nil {
			t.Errorf("Parse(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "a star": "*", "a star and a dot": "*.", "every .com": "*.com", "a country's companies": "*.co.jp", "a hosting platform": "*.github.io",
		"a country's companies without a star": "co.jp", "a top level": "com", "a hosting platform without a star": "github.io", "every single-label name": "*.localhost",
		"a star inside": "a.*.example.com", "a star in a label": "a*.example.com", "two stars": "*.*.example.com", "a public suffix in capitals": "*.CO.JP",
		"a public suffix with a dot": "*.co.jp.", "a public suffix in another script": "*.香港", "a scheme": "https://example.com", "a path": "example.com/a",
		"a user": "user@example.com", "a space": "a b.example", "a port out of range": "example.com:65536", "a port with a zero": "example.com:080", "a colon": "example.com:",
		"a port by name": "example.com:http", "names below an address": "*.127.0.0.1", "a zone": "[fe80::1%25eth0]:80", "a percent sign": "ex%61mple.com",
		"an empty label": "a..example.com", "too long a name": strings.Repeat("a.", 200) + "example.com", "a backslash": `example.com\a`, "a query": "example.com?a",
	} {
		if got, err := allowlist.Parse(text); fault.ReasonOf(err) != allowlist.ReasonDomainInvalid {
			t.Errorf("%s: Parse(%.60q) = %q, %v, want DOMAIN_INVALID", name, text, got, err)
		}
	}
}

func newList(t *testing.T, fixed ...string) *allowlist.List {
	t.Helper()
	l, err := allowlist.New(&allowlist.Memory{}, fixed...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAllows(t *testing.T) {
	l := newList(t, "fixed.example:8443", "*.below.example")
	for _, domain := range []string{"example.com", "*.wild.example", "port.example:8080", "1.1.1.1", "例え.テスト"} {
		if _, added, err := l.Add(t.Context(), "t", domain, "admin"); !added || err != nil {
			t.Fatalf("Add(%s) = %t, %v, want true", domain, added, err)
		}
	}
	for raw, want := range map[string]allowlist.Domain{
		"https://example.com/": "example.com", "http://EXAMPLE.com.:8080/": "example.com", "https://www.example.com/": "", "https://example.com.evil.example/": "",
		"https://notexample.com/": "", "https://a.wild.example/": "*.wild.example", "https://a.b.wild.example/": "*.wild.example", "https://wild.example/": "",
		"https://evilwild.example/": "", "http://port.example:8080/": "port.example:8080", "http://port.example/": "", "https://1.1.1.1/": "1.1.1.1",
		"https://fixed.example:8443/": "fixed.example:8443", "https://fixed.example/": "", "https://x.below.example/": "*.below.example",
		"https://xn--r8jz45g.xn--zckzah/": "xn--r8jz45g.xn--zckzah", "https://1.1.1.2/": "", "https://[::1]/": "", "https:///": "",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		e, ok, err := l.Allows(t.Context(), "t", u)
		if ok != (want != "") || e.Domain != want || err != nil {
			t.Errorf("Allows(%s) = %q, %t, %v, want %q", raw, e.Domain, ok, err, want)
		}
	}
}

func TestFixedEntriesHoldForEverybodyAndStay(t *testing.T) {
	l := newList(t, "b.example", "b.example", "z.example")
	for _, domain := range []string{"a.example", "c.example"} {
		if _, _, err := l.Add(t.Context(), "t", domain, "admin"); err != nil {
			t.Fatal(err)
		}
	}
	if _, added, err := l.Add(t.Context(), "t", "b.example", "admin"); added || err != nil {
		t.Errorf("Add(b.example) = %t, %v, want false: it is there", added, err)
	}
	if _, removed, err := l.Remove(t.Context(), "t", "B.example"); removed || fault.ReasonOf(err) != allowlist.ReasonFixed {
		t.Errorf("Remove(b.example) = %t, %v, want DOMAIN_FIXED", removed, err)
	}
	if _, removed, err := l.Remove(t.Context(), "t", "C.example."); !removed || err != nil {
		t.Errorf("Remove(c.example) = %t, %v, want true", removed, err)
	}
	assertFixed(t, l)
	if _, err := allowlist.New(&allowlist.Memory{}, "*.com"); fault.ReasonOf(err) != allowlist.ReasonDomainInvalid {
		t.Errorf("New(*.com) = %v, want DOMAIN_INVALID", err)
	}
}

// assertFixed checks what each tenant sees.
func assertFixed(t *testing.T, l *allowlist.List) {
	t.Helper()
	for tenant, want := range map[string][]string{"t": {"a.example", "b.example", "z.example"}, "other": {"b.example", "z.example"}} {
		got, err := l.All(t.Context(), tenant)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("All(%s) = %v, differs (-want +got):\n%s", tenant, err, diff)
		}
	}
	page, err := l.List(t.Context(), "t", "a.example", 1)
	if err != nil || len(page) != 1 || page[0].Domain != "b.example" {
		t.Errorf("List(after a.example, 1) = %v, %v, want b.example", page, err)
	}
	more, err := l.With("q.example")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := more.All(t.Context(), "t"); err != nil || fmt.Sprint(got) != "[a.example b.example q.example z.example]" {
		t.Errorf("All() of the list with one more = %v, %v, want both stores' entries and four domains", got, err)
	}
}

func TestAllReadsEveryPage(t *testing.T) {
	l := newList(t)
	for i := range 1203 {
		if _, _, err := l.Add(t.Context(), "t", fmt.Sprintf("h%d.example", i), "admin"); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := l.All(t.Context(), "t"); err != nil || len(got) != 1203 {
		t.Errorf("All() = %d domains, %v, want 1203", len(got), err)
	}
}

// FuzzPattern checks that what Parse accepts is in its one form, allows no public suffix, and allows its own host.
func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"example.com", "*.example.com", "*.co.jp", "例え.テスト", "[::1]:80", "[::0]", "a:1", "*.github.io", "1.2.3.4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		domain, err := allowlist.Parse(text)
		if err != nil {
			return
		}
		again, err := allowlist.Parse(string(domain))
		if again != domain || err != nil {
			t.Fatalf("Parse(%q) = %q, and that = %q, %v, want itself", text, domain, again, err)
		}
		l, err := allowlist.New(&allowlist.Memory{}, string(domain))
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse("https://" + strings.Replace(string(domain), "*.", "below.", 1))
		if err != nil {
			t.Fatalf("Parse(%q) = %q, which no URL can name: %v", text, domain, err)
		}
		if _, ok, err := l.Allows(t.Context(), "t", u); !ok || err != nil {
			t.Fatalf("a list of %q does not allow %s: %v", domain, u, err)
		}
		for _, host := range []string{"com", "a.com", "a.co.jp", "a.github.io", "x.invalid"} {
			if _, ok, _ := l.AllowsHost(t.Context(), "t", host, "1"); ok && strings.HasPrefix(string(domain), "*.") {
				t.Fatalf("a list of %q allows %s", domain, host)
			}
		}
	})
}

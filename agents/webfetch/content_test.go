package webfetch_test

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html/charset"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/netguard"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestArticleGolden(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("testdata", "article.html"))
	if err != nil {
		t.Fatal(err)
	}
	f, site := serve(t, send("text/html", string(source)))
	for format, name := range map[webfetch.Format]string{webfetch.Markdown: "article.md", webfetch.Text: "article.txt", webfetch.HTML: "article.golden.html"} {
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/news/today", Format: format})
		if err != nil {
			t.Fatal(err)
		}
		if page.Format != format || page.Title != "How a quorum is counted" {
			t.Errorf("Fetch(%s) has format %s and title %q", format, page.Format, page.Title)
		}
		got := strings.ReplaceAll(page.Content, site, "https://site.test") + "\n"
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("Fetch(%s) differs from %s (-want +got):\n%s", format, golden, diff)
		}
	}
}

func TestMainContentIsFound(t *testing.T) {
	long := strings.Repeat("word ", 50)
	for name, test := range map[string]struct{ page, want string }{
		"main before article":             {"<article>teaser</article><main>content</main>", "content"},
		"the article that is most of it":  {"<p>around</p><article>" + long + "</article><article>teaser</article>", strings.TrimSpace(long)},
		"several articles are a list":     {"<article>one</article><article>two</article><article>three</article>", "one\n\ntwo\n\nthree"},
		"the body when nothing is marked": {"<p>one<p>two", "one\n\ntwo"},
		"an empty main is no content":     {"<main></main><p>text", "text"},
		"a header with the heading stays": {"<header><h1>Title</h1></header><p>text", "Title\n\ntext"},
		"a header without one goes":       {"<header>Logo</header><p>text", "text"},
		"roles count as elements":         {`<div role="navigation">menu</div><p>text<div role="contentinfo">imprint</div>`, "text"},
		"hidden text goes":                {`<p aria-hidden="true">a<p style="VISIBILITY : hidden !important">b<p style="color:red">c`, "c"},
		"invisible characters go":         {"<p>a\u200bb\u202ec\U000e0041\u2066d\x00", "abcd"},
		"no content at all":               {"<script>x</script>", ""},
		"a frameset":                      {"<frameset><frame src=x></frameset>", "- x"},
	} {
		t.Run(name, func(t *testing.T) {
			f, site := serve(t, send("text/html", test.page))
			page, err := f.Fetch(t.Context(), webfetch.Request{URL: site, Format: webfetch.Text})
			if err != nil || page.Content != test.want {
				t.Errorf("Fetch(%.60q) = %q, %v, want %q", test.page, page.Content, err, test.want)
			}
		})
	}
}

func TestOtherDocumentsThanHTML(t *testing.T) {
	for name, test := range map[string]struct {
		contentType, body string
		format            webfetch.Format
		want              string
		wantFormat        webfetch.Format
	}{
		"text stays as it is":                {"text/plain", "a *b* <c>", webfetch.Markdown, "a *b* <c>", webfetch.Text},
		"Markdown stays Markdown":            {"text/markdown", "# a", webfetch.Markdown, "# a", webfetch.Markdown},
		"JSON is indented":                   {"application/json", `{"a":[1]}`, webfetch.Text, "{\n  \"a\": [\n    1\n  ]\n}", webfetch.Text},
		"JSON is fenced in Markdown":         {"application/ld+json", `"` + "```" + `"`, webfetch.Markdown, "````json\n\"```\"\n````", webfetch.Markdown},
		"broken JSON stays as it is":         {"application/json", `{"a":`, webfetch.Text, `{"a":`, webfetch.Text},
		"JSON nested deeply is not indented": {"application/json", strings.Repeat("[", 100) + strings.Repeat("]", 100), webfetch.Text, strings.Repeat("[", 100) + strings.Repeat("]", 100), webfetch.Text},
		"a broken parameter does no harm":    {"text/html; charset", "<p>a", webfetch.Markdown, "a", webfetch.Markdown},
		"XHTML is HTML":                      {"application/xhtml+xml", "<p>a</p>", webfetch.Markdown, "a", webfetch.Markdown},
	} {
		t.Run(name, func(t *testing.T) {
			f, site := serve(t, send(test.contentType, test.body))
			page, err := f.Fetch(t.Context(), webfetch.Request{URL: site, Format: test.format})
			if err != nil || page.Content != test.want || page.Format != test.wantFormat {
				t.Errorf("Fetch(%q) = %q as %s, %v, want %q as %s", test.body, page.Content, page.Format, err, test.want, test.wantFormat)
			}
		})
	}
}

func TestAMissingContentTypeIsSniffed(t *testing.T) {
	f, site := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil // keeps net/http from sniffing for us
		_, _ = w.Write([]byte("<!doctype html><p>a"))
	})
	if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site}); err != nil || page.Content != "a" {
		t.Errorf("Fetch(without a type) = %q, %v, want a", page.Content, err)
	}
}

func TestCharsets(t *testing.T) {
	const text = "日本語のテキスト。"
	encode := func(t *testing.T, name, s string) string {
		t.Helper()
		e, _ := charset.Lookup(name)
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, test := range map[string]struct{ contentType, charset, head string }{
		"declared by the header":           {"text/html; charset=Shift_JIS", "shift_jis", ""},
		"declared by the page":             {"text/html", "euc-jp", `<meta charset="euc-jp">`},
		"UTF-8 that nobody declared":       {"text/html", "utf-8", strings.Repeat("<!-- late -->", 200)},
		"UTF-8 declared as something else": {"text/html; charset=iso-8859-1", "utf-8", ""},
		"escapes that nobody declared":     {"text/html", "iso-2022-jp", ""},
		"UTF-8 with a mark":                {"text/html", "utf-8", "\ufeff"},
		"UTF-16 with a mark":               {"text/html", "utf-16le", "\ufeff"},
		"an unknown name":                  {"text/html; charset=klingon", "utf-8", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, site := serve(t, send(test.contentType, encode(t, test.charset, test.head+"<p>"+text)))
			page, err := f.Fetch(t.Context(), webfetch.Request{URL: site})
			if err != nil || page.Content != text {
				t.Errorf("Fetch(%s) = %q, %v, want %q", test.charset, page.Content, err, text)
			}
		})
	}
	f, site := serve(t, send("text/html; charset=utf-8", "<p>ok \xff\xfe end"))
	if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site}); err != nil || !utf8.ValidString(page.Content) {
		t.Errorf("Fetch(broken UTF-8) = %q, %v, want valid UTF-8", page.Content, err)
	}
}

func TestARenderedPageIsWholeThoughItsBodyWasCut(t *testing.T) {
	s := httptest.NewServer(send("text/html", "<script></script><!--"+strings.Repeat("x", 600<<10)))
	defer s.Close()
	host := s.Listener.Addr().String()
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{host}}, AllowedHosts: []string{host}, Browser: landing{"/"}})
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: s.URL, Profile: webfetch.ProfileSlack, Render: webfetch.RenderAuto})
	if err != nil || !p.Rendered || p.Content != "private" || p.Truncated {
		t.Errorf("Fetch() of a page that is rendered = %q, rendered %t, truncated %t, %v, want all of it", p.Content, p.Rendered, p.Truncated, err)
	}
}

package extract_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
)

// fuzzFormat checks what must hold of every page in one format.
func fuzzFormat(f *testing.F, format extract.Format, check func(t *testing.T, page, text string)) {
	f.Helper()
	f.Add("<h1>a</h1><p>b <a href=c>d</a><table><tr><td colspan=3>e<td rowspan=2>f</table>")
	f.Add("<ul><li>a<ol><li>b<pre>c\n```\n</pre></ol></ul><blockquote>d</blockquote>")
	f.Add(members)
	f.Add(sample)
	f.Add("<article>" + filler + "<figure><img src=x alt=y></figure></article>")
	f.Add(`<table><tr><td colspan=9007199254740991 rowspan=9007199254740991>a`)
	f.Add(strings.Repeat("<a href=/x><object>", 30))
	f.Add(strings.Repeat("<table><tr><td>", 30) + "x")
	f.Add("<p>a<sc\x01ript>b</sc\x01ript>")
	f.Add("<p><a><b><font size=1></p><p>x<p>y<svg><title>z</title></svg><math><mi>[")
	f.Fuzz(func(t *testing.T, page string) {
		got, err := extract.Extract(t.Context(), source("text/html; charset=utf-8", page), extract.Options{Format: format})
		if fault.ReasonOf(err) == extract.ReasonContentType && !utf8.ValidString(page) && strings.ContainsFunc(page, unicode.IsControl) {
			return // what is packed is no text
		}
		if err != nil {
			t.Fatalf("Extract(%q, %s) = %v, want content", page, format, err)
		}
		if !utf8.ValidString(got.Text) || !utf8.ValidString(got.Title) {
			t.Errorf("Extract(%q, %s) = %q, want UTF-8", page, format, got.Text)
		}
		if format != extract.Raw && strings.ContainsAny(got.Text, "\u200b\u202e\U000e0041") {
			t.Errorf("Extract(%q, %s) = %q, want no invisible characters", page, format, got.Text)
		}
		check(t, page, got.Text)
	})
}

func FuzzMarkdown(f *testing.F) {
	fuzzFormat(f, extract.Markdown, func(t *testing.T, page, text string) {
		t.Helper()
		if strings.Contains(text, "](javascript:") || strings.Contains(text, "](data:") {
			t.Errorf("Extract(%q) = %q, want no script link", page, text)
		}
	})
}

func FuzzText(f *testing.F) {
	fuzzFormat(f, extract.Text, func(t *testing.T, page, text string) {
		t.Helper()
		if len(text) > 16*(len(page)+1<<10) {
			t.Errorf("Extract(%q, text) has %d bytes, want no more than the page can hold", page, len(text))
		}
	})
}

func FuzzHTML(f *testing.F) {
	for _, page := range hostileMarkup {
		f.Add(page)
	}
	fuzzFormat(f, extract.HTML, harmless)
}

func FuzzJSON(f *testing.F) {
	fuzzFormat(f, extract.JSON, func(t *testing.T, page, text string) {
		t.Helper()
		if !json.Valid([]byte(text)) {
			t.Errorf("Extract(%q) = %q, want JSON", page, text)
		}
	})
}

func FuzzLinks(f *testing.F) {
	fuzzFormat(f, extract.Links, func(t *testing.T, page, text string) {
		t.Helper()
		var links []extract.Link
		if err := json.Unmarshal([]byte(text), &links); err != nil {
			t.Errorf("Extract(%q) = %q, want an array of links", page, text)
		}
		for _, l := range links {
			if scheme, _, _ := strings.Cut(l.Href, ":"); scheme != "http" && scheme != "https" && scheme != "mailto" && scheme != "tel" {
				t.Errorf("Extract(%q) has the link %q, want one that can be followed", page, l.Href)
			}
		}
	})
}

func FuzzRaw(f *testing.F) {
	f.Add("\ufeff<p>a byte order mark")
	f.Add("<p>caf\xe9 in no UTF-8")
	f.Add("<meta charset=shift_jis><p>\x93\xfa\x96\x7b")
	f.Add("\x1b$B$3$s\x1b(B")
	f.Add("a\u200bb\u202ec\x00d")
	f.Add("000\x00")
	fuzzFormat(f, extract.Raw, func(t *testing.T, page, text string) {
		t.Helper()
		begin := page[:min(len(page), 1024)]
		wide := len(page) >= 16 && strings.Count(begin, "\x00")*5 > len(begin) // as UTF-16 has them
		if utf8.ValidString(page) && !wide && !strings.Contains(page, "\x1b") && text != strings.TrimPrefix(page, "\ufeff") {
			t.Errorf("Extract(%q, raw) = %q, want it as it is", page, text)
		}
	})
}

func FuzzCharset(f *testing.F) {
	f.Add([]byte("\x1b$B$3\x1b(B"), "text/html; charset=iso-2022-jp")
	f.Add([]byte("\xff\xfea\x00"), "text/plain")
	f.Add([]byte("<meta charset=gb18030>\x81\x30\x81"), "text/html")
	f.Fuzz(func(t *testing.T, data []byte, contentType string) {
		got, err := extract.Extract(t.Context(), extract.Source{Data: data, ContentType: contentType}, extract.Options{Format: extract.Raw})
		if err == nil && (!utf8.ValidString(got.Text) || got.Charset == "" && got.Format == extract.Raw) {
			t.Errorf("Extract(%q, %q) = %q as %q, want UTF-8 and a charset", data, contentType, got.Text, got.Charset)
		}
	})
}

// FuzzDocument reads any bytes as any kind of document.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(rss), "application/rss+xml")
	f.Add([]byte(sitemap), "application/xml")
	f.Add([]byte(`{"a":[1,{"b":null}]}`), "application/json")
	f.Add(pdf(deflate("BT /F1 12 Tf (a) Tj ET", "", 0)).Data, "application/pdf")
	f.Add(hostilePDFs()["a PDF with a hidden size"]().Data, "application/pdf")
	f.Add(hostilePDFs()["a PDF with a far section"]().Data, "application/pdf")
	f.Fuzz(func(t *testing.T, data []byte, contentType string) {
		got, err := extract.Extract(t.Context(), extract.Source{Data: data, ContentType: contentType}, extract.Options{})
		if err != nil && fault.ReasonOf(err) == "" {
			t.Errorf("Extract(%q, %q) = %v, want a fault with a reason", data, contentType, err)
		}
		if !utf8.ValidString(got.Text) {
			t.Errorf("Extract(%q, %q) = %q, want UTF-8", data, contentType, got.Text)
		}
	})
}

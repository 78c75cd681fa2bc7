package extract_test

import (
	"bytes"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"codeberg.org/readeck/go-readability"
	"github.com/markusmobius/go-trafilatura"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/agents/webfetch/extract/aeb"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/usagetest"
)

// pagesVariable names a folder of pages, in the form of package aeb, to measure on instead of pages made here.
const pagesVariable = "QUORATE_BENCH_PAGES"

type benchPage struct {
	url  *url.URL
	data []byte
}

func benchPages(b *testing.B) []benchPage {
	b.Helper()
	folder := config.Env(pagesVariable)
	if folder == "" {
		return []benchPage{{&url.URL{Scheme: "https", Host: "site.test", Path: "/page"}, []byte(ordinaryPage())}}
	}
	set, err := aeb.Load(os.DirFS(folder))
	if err != nil {
		b.Fatal(err)
	}
	pages := make([]benchPage, 0, len(set))
	for _, p := range set {
		u, err := url.Parse(p.URL)
		if err != nil {
			u = &url.URL{Scheme: "https", Host: "site.test"}
		}
		pages = append(pages, benchPage{u, p.HTML})
	}
	return pages
}

// ordinaryPage is as large as pages of newspapers are: 150 KB, of which 10 KB are the article.
func ordinaryPage() string {
	var out strings.Builder
	out.WriteString(`<html lang="en"><head><title>On quorums</title><script>` + strings.Repeat("var x = 'a';", 4000) + `</script></head><body><header><nav><ul>`)
	for range 150 {
		out.WriteString(`<li class="menu-item"><a href="/section" class="link">Section</a></li>`)
	}
	out.WriteString(`</ul></nav></header><main><article><h1>On quorums</h1>` + strings.Repeat(filler, 10) + `</article><aside>`)
	for range 250 {
		out.WriteString(`<div class="teaser"><a href="/story"><img src="t.jpg" alt="A teaser"><span class="kicker">News</span> Another story of today</a><p>Two lines of it</p></div>`)
	}
	out.WriteString(`</aside></main><footer>` + strings.Repeat(`<a href="/legal">Legal</a> `, 100) + `</footer></body></html>`)
	return out.String()
}

// measure reports the CPU time that a page takes.
func measure(b *testing.B, read func(p benchPage) error) {
	b.Helper()
	pages := benchPages(b)
	before, n := usagetest.CPU(b), 0
	for b.Loop() {
		for _, p := range pages {
			if err := read(p); err != nil {
				b.Fatalf("read %s: %v", p.url, err)
			}
			n++
		}
	}
	perPage := (usagetest.CPU(b) - before).Seconds() / float64(n)
	b.ReportMetric(perPage*1000, "cpu-ms/page")
	b.ReportMetric(1/perPage, "pages/cpu-s")
}

func BenchmarkExtract(b *testing.B) {
	for _, format := range []extract.Format{extract.Markdown, extract.Text, extract.HTML, extract.Links, extract.Raw} {
		b.Run(string(format), func(b *testing.B) {
			measure(b, func(p benchPage) error {
				_, err := extract.Extract(b.Context(), extract.Source{Data: p.data, ContentType: "text/html", URL: p.url}, extract.Options{Format: format})
				return err
			})
		})
	}
}

// BenchmarkBesideOthers reads each page with this package, with go-trafilatura as its documentation shows it and with go-readability,
// one after the other, so that all three meet the same machine.
func BenchmarkBesideOthers(b *testing.B) {
	pages := benchPages(b)
	readers := []struct {
		name string
		read func(p benchPage) error
	}{
		{"markdown", func(p benchPage) error {
			_, err := extract.Extract(b.Context(), extract.Source{Data: p.data, ContentType: "text/html", URL: p.url}, extract.Options{})
			return err
		}},
		{"trafilatura", func(p benchPage) error {
			_, err := trafilatura.Extract(bytes.NewReader(p.data), trafilatura.Options{OriginalURL: p.url, EnableFallback: true})
			return err
		}},
		{"readability", func(p benchPage) error {
			_, err := readability.FromReader(bytes.NewReader(p.data), p.url)
			return err
		}},
	}
	spent := make([]time.Duration, len(readers))
	n := 0
	for b.Loop() {
		for _, p := range pages {
			for i, r := range readers {
				before := usagetest.CPU(b)
				if err := r.read(p); err != nil {
					b.Fatalf("%s reads %s: %v", r.name, p.url, err)
				}
				spent[i] += usagetest.CPU(b) - before
			}
			n++
		}
	}
	for i, r := range readers {
		b.ReportMetric(spent[i].Seconds()*1000/float64(n), r.name+"-cpu-ms/page")
	}
}

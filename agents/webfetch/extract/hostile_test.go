package extract_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/usagetest"
)

// size is that of each hostile document, in bytes.
var size = flag.Int("size", 128<<10, "bytes of each hostile document")

func fill(s string) string { return strings.Repeat(s, *size/len(s)) }

// hostile are documents that end the process or run for minutes in unguarded converters.
func hostile() map[string]func() extract.Source {
	var fonts strings.Builder
	for i := range 400 {
		fmt.Fprintf(&fonts, "<font size=%d>", i)
	}
	page := func(s string) extract.Source { return extract.Source{ContentType: "text/html", Data: []byte(s)} }
	all := map[string]func() extract.Source{
		"nothing": func() extract.Source { return page("") },
		"one cell of endless width": func() extract.Source {
			return page(`<table><tr><td colspan=9007199254740991 rowspan=9007199254740991>a`)
		},
		"spans within the standard": func() extract.Source {
			return page("<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=65534>a", 2000))
		},
		"one wide row over many short ones": func() extract.Source {
			return page("<table><tr>" + strings.Repeat("<td>a", 20000) + strings.Repeat("<tr><td>b", 20000))
		},
		"one long cell over many short ones": func() extract.Source { return page("<table><tr><td>" + fill("a") + strings.Repeat("<tr><td>b", 5000)) },
		"a table of a megabyte":              func() extract.Source { return page("<table>" + fill("<tr><td>some words<td>1,234<td><a href=x>y</a>")) },
		"one row of a megabyte":              func() extract.Source { return page("<table><tr>" + fill("<td>word")) },
		"100,000 nested elements":            func() extract.Source { return page(strings.Repeat("<div>", *size/10) + "text") },
		"500 levels, each with text": func() extract.Source {
			return page(strings.Repeat("<div>some words of text", 500) + fill("<p>words and words and words"))
		},
		"fonts made again in each paragraph": func() extract.Source {
			return page("<p>" + fonts.String() + "</p>" + strings.Repeat("<p>x</p>", *size/10))
		},
		"nested fonts around paragraphs": func() extract.Source { return page(fonts.String() + strings.Repeat("<p>x", *size/10)) },
		"misnested formatting":           func() extract.Source { return page(strings.Repeat("<a><b><p>", *size/10)) },
		"text merged at each end tag":    func() extract.Source { return page(fill("a</x>")) },
		"text merged before a table":     func() extract.Source { return page("<table>" + fill("a</x>")) },
		"text merged at misplaced cells": func() extract.Source { return page(fill("a<td>")) },
		"text merged in a choice":        func() extract.Source { return page("<select>" + fill("a<b>")) },
		"empty links inside empty links": func() extract.Source { return page(strings.Repeat("<a href=/x><object>", 120)) },
		"deep quotes with many lines":    func() extract.Source { return page(strings.Repeat("<blockquote>", 400) + fill("x<br>")) },
		"deep lists with many lines":     func() extract.Source { return page(strings.Repeat("<ul><li>", 200) + "<pre>" + fill("x\n")) },
		"paragraphs in deep quotes":      func() extract.Source { return page(inDeepQuotes) },
		"lines in deep lists":            func() extract.Source { return page(inDeepLists) },
		"lines in deep lists of a table": func() extract.Source { return page("<table><tr><td>" + inDeepLists) },
		"a text in deep quotes":          func() extract.Source { return page(strings.Repeat("<blockquote>", 450) + fill("word ")) },
		"nested tables":                  func() extract.Source { return page(strings.Repeat("<table><tr><td>", 160) + "x") },
		"brackets that never close":      func() extract.Source { return page(fill("*_[`<")) },
		"square brackets":                func() extract.Source { return page("<p>" + fill("[")) },
		"closed brackets":                func() extract.Source { return page("<p>" + fill("[]()")) },
		"links with a long base": func() extract.Source {
			return page("<base href=/" + strings.Repeat("b", 4000) + ">" + fill("<a href=x>y</a>"))
		},
		"links and nothing else":             func() extract.Source { return page(fill("<a href=/a>word</a> ")) },
		"attributes of one element":          func() extract.Source { return page("<p " + fill("a ") + ">text") },
		"attributes with names of their own": func() extract.Source { return page("<p " + numbered("a%d ", *size/7) + ">text") },
		"attributes of many elements":        func() extract.Source { return page(fill("<p a b c d e f g h>")) },
		"paragraphs":                         func() extract.Source { return page("<article>" + fill("<p>Some words, and more of them.")) },
		"short paragraphs":                   func() extract.Source { return page(fill("<p>x")) },
		"line breaks":                        func() extract.Source { return page("<p>" + fill("x<br>")) },
		"list items":                         func() extract.Source { return page("<ul>" + fill("<li>x")) },
		"images":                             func() extract.Source { return page("<article><p>text" + fill("<img src=x alt=y>")) },
		"headings":                           func() extract.Source { return page(fill("<h2>word</h2>")) },
		"the same paragraph":                 func() extract.Source { return page(fill("<p>The same words stand in each of the many paragraphs.")) },
		"spans":                              func() extract.Source { return page("<p>" + fill("<span>x</span> ")) },
		"commas":                             func() extract.Source { return page("<p>" + fill("a,")) },
		"one text":                           func() extract.Source { return page("<p>" + fill("hello ")) },
		"one word":                           func() extract.Source { return page("<p>" + fill("a")) },
		"white space":                        func() extract.Source { return page("<pre>" + fill(" ")) },
		"entities":                           func() extract.Source { return page("<p>" + fill("&amp;")) },
		"quotes":                             func() extract.Source { return page(fill("<q>") + "x") },
		"select options":                     func() extract.Source { return page("<select>" + fill("<option>x")) },
		"templates":                          func() extract.Source { return page(fill("<template>")) },
		"svg":                                func() extract.Source { return page("<svg>" + fill("<g>")) },
		"math":                               func() extract.Source { return page("<math>" + fill("<mi>")) },
		"framesets":                          func() extract.Source { return page(fill("<frameset>")) },
		"null bytes":                         func() extract.Source { return page(fill("\x00")) },
		"escapes":                            func() extract.Source { return page(fill("\x1b$B")) },
		"bytes of no charset":                func() extract.Source { return page(fill("\xff\xfd\x81")) },
		"meta elements":                      func() extract.Source { return page(fill("<meta property=og:x content=y>")) },
		"JSON-LD that nests":                 func() extract.Source { return page(`<script type="application/ld+json">` + fill("[") + "</script>") },
		"JSON-LD in many blocks":             func() extract.Source { return page(fill(`<script type="application/ld+json">{"@type":"A"}</script>`)) },
		"an unclosed comment":                func() extract.Source { return page("<!--" + fill("x")) },
		"an unclosed script":                 func() extract.Source { return page("<p>a<script>" + fill("x")) },
		"an unclosed tag":                    func() extract.Source { return page("<p " + fill("x")) },
		"end tags":                           func() extract.Source { return page(fill("</p>")) },
		"less-than signs":                    func() extract.Source { return page(fill("<")) },
		"hidden text":                        func() extract.Source { return page(fill(`<p style="display:none">x</p>`)) },
		"text that a sheet hides": func() extract.Source {
			return page("<style>" + fill(".x{display:none}") + "</style>" + fill("<p class=x>y"))
		},
		"rules that hold at times": func() extract.Source {
			return page("<style>.x{display:none}" + fill(".y .x{display:block}") + "</style>" + fill("<p class='x y'>y"))
		},
		"a sheet of brackets": func() extract.Source { return page("<style>" + fill(":a([") + "{display:none}</style><p>x") },
		"a sheet of blocks":   func() extract.Source { return page("<style>" + fill("@media x{a{") + "</style><p>x") },
		"a sheet of escapes":  func() extract.Source { return page("<style>." + fill("\\a .") + "{display:none}</style><p>x") },
		"a sheet for many classes": func() extract.Source {
			return page("<style>" + fill(".a.b.c.x{display:none}") + "</style><p class='" + fill("y ") + "x'>y" + fill("<p class=x>y"))
		},
		"hidden around what is shown": func() extract.Source {
			return page("<style>.x{visibility:hidden}.y{visibility:visible}</style>" + strings.Repeat("<div class=x>", 450) + fill("<b>x</b>") + "<p class=y style='" + fill("a:b;") + "'>z")
		},
		"headers without headings": func() extract.Source { return page(fill("<header>x</header>")) },
		"nested headers":           func() extract.Source { return page(strings.Repeat("<header>", 480) + fill("<b>x</b>")) },
		"nested mains":             func() extract.Source { return page(strings.Repeat("<main><article>", 240) + fill("<i>x</i>")) },
		"nested side content": func() extract.Source {
			return page(strings.Repeat(`<div class="related comments">`, 450) + strings.Repeat("word ", 70_000))
		},
		"side content just within the bounds": func() extract.Source {
			return page(strings.Repeat(`<div class="related comments">`, 450) + strings.Repeat("word ", 5_200))
		},
		"lines within spans just within the bounds": func() extract.Source {
			return page("<h1>x</h1>" + strings.Repeat("<span>", 450) + strings.Repeat("<br>"+sentence, 250))
		},
		"a long title over many headings": func() extract.Source {
			return page("<title>" + strings.Repeat("word ", *size/10) + "</title>" + strings.Repeat("<h2>x</h2>", 6_000) + filler)
		},
		"a style sheet of escaped line ends": func() extract.Source {
			return page("<style>" + fill(".\\\n") + "{display:none}</style><p>text")
		},
		"a megabyte of classes": func() extract.Source { return page(`<div class="` + fill("a-b ") + `">x</div>` + filler) },
		"lines within spans": func() extract.Source {
			return page("<h1>x</h1>" + strings.Repeat("<span>", 450) + strings.Repeat("<br>"+sentence, 3_000))
		},
		"JSON-LD of many lines": func() extract.Source {
			return page(`<script type="application/ld+json">{"@type":"Article","articleBody":"` + strings.Repeat(`x\n`, 20_000) + `"}</script>` + filler)
		},
		"JSON that nests": func() extract.Source { return extract.Source{ContentType: "application/json", Data: []byte(fill("["))} },
		"JSON of many numbers in deep arrays": func() extract.Source {
			return extract.Source{ContentType: "application/json", Data: []byte(strings.Repeat("[", 64) + fill("0,") + "0" + strings.Repeat("]", 64))}
		},
		"JSON that ends in many backquotes": func() extract.Source {
			return extract.Source{ContentType: "application/json", Data: []byte(`"` + strings.Repeat("a", 400_000) + strings.Repeat("`", 550_000) + `"`)}
		},
		"JSON of many numbers": func() extract.Source {
			return extract.Source{ContentType: "application/json", Data: []byte("[" + fill("1,") + "1]")}
		},
		"a feed that nests": func() extract.Source {
			return extract.Source{ContentType: "application/rss+xml", Data: []byte("<rss>" + fill("<item>"))}
		},
		"a feed of many entries": func() extract.Source {
			return extract.Source{ContentType: "application/rss+xml", Data: []byte("<rss><channel>" + fill("<item><title>a</title><link>http://a.test/b</link></item>"))}
		},
		"entities of XML": func() extract.Source {
			return extract.Source{ContentType: "application/xml", Data: []byte(`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><rss><title>` + fill("&b;"))}
		},
		"a sitemap": func() extract.Source {
			return extract.Source{ContentType: "application/xml", Data: []byte("<urlset>" + fill("<url><loc>http://a.test/b</loc></url>"))}
		},
	}
	maps.Copy(all, hostilePDFs())
	return all
}

func numbered(format string, n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// Pages of a few kilobytes that are nested just within the bounds of the parsed tree.
var (
	inDeepQuotes = strings.Repeat("<blockquote>", 450) + strings.Repeat("<p>y y", 5_000)
	inDeepLists  = "<article>" + strings.Repeat("<ul><li>x", 200) + strings.Repeat("<br>y", 2_000)
)

func TestDeepListsAndQuotesCostLittle(t *testing.T) {
	for name, page := range map[string]string{"quotes": inDeepQuotes, "lists": inDeepLists, "lists of definitions": strings.NewReplacer("ul", "dl", "li", "dd").Replace(inDeepLists)} {
		before := usagetest.CPU(t)
		got := read(t, "text/html", page, extract.Options{})
		if took := usagetest.CPU(t) - before; took > 3*time.Second || !strings.Contains(got.Text, "y") || !slices.Contains(got.Warnings, extract.WarnComplex) {
			t.Errorf("Extract(deep %s) = %.50q with %v after %s of CPU, want its text, %s, and less than 3s", name, got.Text, got.Warnings, took, extract.WarnComplex)
		}
	}
	const replies = 30
	thread := "<p>Thread</p>" + strings.Repeat("<blockquote><p>Somebody wrote a reply to what is quoted below.</p><ul><li>one</li><li>two</li></ul>", replies)
	got := read(t, "text/html", thread, extract.Options{})
	if want := strings.Repeat("> ", replies) + "- two"; !strings.Contains(got.Text, want) || len(got.Warnings) > 0 {
		t.Errorf("Extract(a thread of %d replies) = %.200q with %v, want %q in it and no warning", replies, got.Text, got.Warnings, want)
	}
}

// hostilePDFs are files whose numbers or streams ask for more than they hold.
func hostilePDFs() map[string]func() extract.Source {
	file := func(s string) extract.Source {
		return extract.Source{ContentType: "application/pdf", Data: []byte(s)}
	}
	stream := func(entries string, data []byte) extract.Source {
		head := "%PDF-1.7\n"
		return file(fmt.Sprintf("%s1 0 obj\n<< /Type /XRef %s /Length %d >>\nstream\n%s\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n", head, entries, len(data), data, len(head)))
	}
	return map[string]func() extract.Source{
		"a PDF of a billion objects":  func() extract.Source { return stream("/Size 1000000000 /W [1 2 1]", nil) },
		"a PDF of endless rows":       func() extract.Source { return stream("/Size 10 /W [0 0 0] /Index [0 1000000000000]", nil) },
		"a PDF with a hidden size":    func() extract.Source { return stream("/S#69ze 1000000000 /W [1 2 1]", nil) },
		"a PDF with a commented size": func() extract.Source { return stream("/Size % x\n1000000000 /W [1 2 1]", nil) },
		"a PDF without a table": func() extract.Source {
			return extract.Source{ContentType: "application/pdf", Data: []byte("%PDF-1.4\n" + fill("1 0 obj") + "<</Type/Catalog>>")}
		},
		"a PDF of catalogs": func() extract.Source {
			return extract.Source{ContentType: "application/pdf", Data: []byte("%PDF-1.4\n1 0 obj" + fill("/Type/Catalog "))}
		},
		"a PDF of wide fields": func() extract.Source { return stream("/Size 10 /W [1000000000000 2 1]", nil) },
		"a PDF of wide columns": func() extract.Source {
			return stream("/Size 10 /W [1 2 1] /Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 100000000000 >>", deflate("x", "", 0))
		},
		"a PDF with a far section": func() extract.Source {
			return file("%PDF-1.4\nxref\n4000000000 1\n0000000000 65535 f \ntrailer << /Size 1 >>\nstartxref\n9\n%%EOF\n")
		},
		"a PDF that is a bomb": func() extract.Source {
			return pdf(deflate("", "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj\n", 256**size))
		},
		"a PDF of a bomb of brackets": func() extract.Source { return pdf(deflate("", "[", 256**size)) },
		"a PDF of a bomb of filters": func() extract.Source {
			inner := deflate("", "\x80\x40\x20\x10\x08\x04\x02\x01\x00", 256**size) // codes of LZW that stand for nothing
			content := deflate(string(inner), "", 0)
			return pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
				fmt.Sprintf("<< /Filter [/FlateDecode /FlateDecode /LZWDecode] /Length %d >>\nstream\n%s\nendstream", len(content), content), "<< >>")
		},
		"a PDF of one endless array": func() extract.Source { return pdf(deflate("[", "0 ", 256**size)) },
		"a PDF of forms in forms": func() extract.Source {
			return formed("/X1 Do", strings.Split(strings.Repeat("|/X1 Do /X2 Do /X3 Do BT /F1 9 Tf (a) Tj ET,", 3), ",")...)
		},
		"a PDF of one form": func() extract.Source {
			return formed(fill("/X1 Do "), "|BT /F1 9 Tf ("+strings.Repeat("a", 1<<16)+") Tj ET")
		},
		"a PDF of one form in Arabic": func() extract.Source {
			font := "/Resources << /Font << /F1 << /Subtype /Type0 /ToUnicode 8 0 R >> >> >>"
			return formed(fill("/X1 Do "), font+"|BT /F1 9 Tf ("+strings.Repeat("a", 1<<12)+") Tj ET", "|1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <61> <FE8E> endbfchar")
		},
		"a PDF of many fonts": func() extract.Source {
			return formed("/X1 Do", "/Resources << /Font << "+numbered("/F%d << /Subtype /Type1 /Encoding << /Differences [0 /a /b /c /d] >> >> ", 1500**size>>17)+">> >>|BT "+numbered("/F%d 9 Tf (a) Tj ", 1500**size>>17))
		},
		"a PDF of wide fonts": func() extract.Source {
			return formed("/X1 Do", "/Resources << /Font << /F1 << /Subtype /Type0 /DescendantFonts [<< /W ["+fill("0 16000 5 ")+"] >>] >> >> >>|BT "+strings.Repeat("/F1 9 Tf (aa) Tj ", 99))
		},
		"a PDF of codes": func() extract.Source {
			cmap := "1 begincodespacerange " + fill("<0000> <FFFF> <00> <00> ") + "endcodespacerange 1 beginbfrange " + fill("<0000> <FFFF> <0041> ") + "endbfrange"
			return pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
				"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 << /Subtype /Type0 /ToUnicode 5 0 R >> >> >> >>",
				"<< /Length 30 >>\nstream\nBT /F1 9 Tf (aaaaaaaaaa) Tj ET\nendstream", fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(cmap), cmap), "<< >>")
		},
		"a PDF that is nothing but text": func() extract.Source { return file("%PDF-1.4\n" + fill("1 0 obj << /A [ 1 2 3 ] >> endobj\n")) },
	}
}

// deflate compresses prefix and then so many bytes of repeats of s.
func deflate(prefix, s string, n int) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, _ = z.Write([]byte(prefix)) // to memory
	chunk := []byte(strings.Repeat(s, 1<<16))
	for ; n > 0; n -= len(chunk) {
		_, _ = z.Write(chunk)
	}
	_ = z.Close()
	return out.Bytes()
}

// pdf returns a file of one page with the given compressed content.
func pdf(content []byte) extract.Source { return pdfOf(1, content) }

// pdfOf returns a file of pages with the given compressed contents, which says that it has count of them.
func pdfOf(count int, contents ...[]byte) extract.Source {
	var kids strings.Builder
	for i := range contents {
		fmt.Fprintf(&kids, "%d 0 R ", 3+2*i)
	}
	font := 3 + 2*len(contents)
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), count)}
	for i, content := range contents {
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", 4+2*i, font),
			fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", len(content), content))
	}
	return pdfFile(append(objects, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", "<< /Title (A report) >>")...)
}

// pdfFile returns a file of objects, the first of which is its catalog and the last one what is said about it.
func pdfFile(objects ...string) extract.Source {
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	var offsets []int
	for i, object := range objects {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, len(offsets), table)
	return extract.Source{ContentType: "application/pdf", Data: out.Bytes()}
}

// Bounds of one hostile document of a megabyte. Tests run beside others and with the race detector, so
// the time that fails a test is longer; TestHostileFigures prints what was measured.
const (
	maxMemory = 100 << 20
	maxTime   = 30 * time.Second
)

var (
	child   = flag.String("hostile", "", "measure the hostile document of this name in this process")
	figures = flag.Bool("figures", false, "measure each hostile document and format in a process of its own")
)

func extractHostile(t *testing.T, name string, source extract.Source, format extract.Format) {
	t.Helper()
	source.URL = &url.URL{Scheme: "https", Host: "site.test", Path: "/page"}
	content, err := extract.Extract(t.Context(), source, extract.Options{Format: format})
	if err != nil {
		if _, ok := err.(*fault.Error); !ok || source.ContentType == "text/html" { //nolint:errorlint // the fault itself is the promise
			t.Errorf("Extract(%s, %s) = %v, want content", name, format, err)
		}
		return
	}
	if !utf8.ValidString(content.Text) {
		t.Errorf("Extract(%s, %s) is not UTF-8", name, format)
	}
	if len(content.Text) > 16**size {
		t.Errorf("Extract(%s, %s) has %d bytes, want at most %d", name, format, len(content.Text), 16**size)
	}
}

func TestHostileDocumentsAreBounded(t *testing.T) {
	if *child != "" {
		t.Skip("this process measures one document")
	}
	formats := []extract.Format{extract.Markdown, extract.Text, extract.HTML, extract.JSON, extract.Links}
	if testing.Short() {
		formats = formats[:1] // the others share most of its work
	}
	for name, source := range hostile() {
		t.Run(name, func(t *testing.T) {
			document := source()
			for _, format := range formats {
				before := usagetest.CPU(t)
				extractHostile(t, name, document, format)
				if took := usagetest.CPU(t) - before; took > maxTime {
					t.Errorf("Extract(%s, %s) took %s of CPU, want less than %s", name, format, took, maxTime)
				}
			}
		})
	}
}

// TestHostileFigures runs each document in a process of its own when asked to by -figures, and prints what it cost.
func TestHostileFigures(t *testing.T) {
	if !*figures {
		t.Skip("run with -figures to measure")
	}
	baseline := measureChild(t, "nothing", extract.Markdown)
	worst := figure{}
	for _, name := range slices.Sorted(maps.Keys(hostile())) {
		for _, format := range []extract.Format{extract.Markdown, extract.Text} {
			f := measureChild(t, name, format)
			f.CPU, f.Memory = f.CPU-baseline.CPU, f.Memory-baseline.Memory
			t.Logf("%-36s %-9s %6.0f ms CPU  %4d MB", name, format, f.CPU.Seconds()*1000, f.Memory>>20)
			worst.CPU, worst.Memory = max(worst.CPU, f.CPU), max(worst.Memory, f.Memory)
			if f.Memory > maxMemory {
				t.Errorf("%s as %s takes %d MB over the baseline, want at most %d", name, format, f.Memory>>20, maxMemory>>20)
			}
			if f.CPU > 500*time.Millisecond {
				t.Errorf("%s as %s takes %s of CPU over the baseline, want at most 500 ms", name, format, f.CPU)
			}
		}
	}
	t.Logf("worst: %.0f ms CPU, %d MB, over a baseline of %.0f ms, %d MB", worst.CPU.Seconds()*1000, worst.Memory>>20, baseline.CPU.Seconds()*1000, baseline.Memory>>20)
}

// figure is what a document cost.
type figure struct {
	CPU    time.Duration
	Memory int64 // bytes at most resident
}

func measureChild(t *testing.T, name string, format extract.Format) figure {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHostileChild$", "-size=1048576", "-hostile="+string(format)+":"+name)
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("the process for %s as %s ended: %v\n%.2000s", name, format, err, out)
		return figure{}
	}
	var f figure
	if _, after, ok := strings.Cut(string(out), "FIGURE "); ok {
		if err := json.NewDecoder(strings.NewReader(after)).Decode(&f); err != nil {
			t.Errorf("the process for %s printed %q", name, out)
		}
	}
	return f
}

// TestHostileChild measures one document. The documents themselves are made before, and stay in memory for the baseline too.
func TestHostileChild(t *testing.T) {
	if *child == "" {
		t.Skip("started by TestHostileFigures")
	}
	format, name, _ := strings.Cut(*child, ":")
	source := hostile()[name]()
	before := usagetest.CPU(t)
	extractHostile(t, name, source, extract.Format(format))
	text, err := json.Marshal(figure{CPU: usagetest.CPU(t) - before, Memory: usagetest.Memory(t)})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintf(os.Stdout, "FIGURE %s\n", text)
}

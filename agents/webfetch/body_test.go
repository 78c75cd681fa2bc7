package webfetch_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
)

// packed returns s as a file of gzip.
func packed(t *testing.T, s string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestASitemapThatIsKeptCompressedIsRead(t *testing.T) {
	const sitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://site.test/a</loc></url></urlset>`
	file := packed(t, sitemap)
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sitemap.xml.gz":
			send("application/x-gzip", file)(w, r)
		case "/twice":
			with("Content-Encoding", "gzip", send("application/gzip; x=y", packed(t, file)))(w, r)
		case "/once": // as Apache does when it knows the ending of the name both as a type and as an encoding
			with("Content-Encoding", "x-gzip", send("application/x-gzip", file))(w, r)
		case "/cut":
			send("application/gzip", file[:len(file)-9])(w, r)
		case "/none":
			send("application/gzip", "this is no gzip\x00\x01")(w, r)
		case "/archive":
			send("application/gzip", packed(t, "a.txt\x00\x00\x01\x02"))(w, r)
		case "/bomb":
			w.Header().Set("Content-Type", "application/gzip")
			bomb(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	for _, path := range []string{"/sitemap.xml.gz", "/twice", "/once"} {
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path, Format: webfetch.Links})
		if err != nil || !strings.Contains(page.Content, `"https://site.test/a"`) {
			t.Errorf("Fetch(%s) = %q, %v, want the links of the sitemap", path, page.Content, err)
		}
	}
	for path, reason := range map[string]string{
		"/cut": webfetch.ReasonEncoding, "/none": webfetch.ReasonContentType, "/archive": webfetch.ReasonContentType, "/bomb": webfetch.ReasonTooLarge,
	} {
		if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path}); fault.ReasonOf(err) != reason {
			t.Errorf("Fetch(%s) = %.40q, %v, want %s", path, page.Content, err, reason)
		}
	}
}

func TestABombThatIsSmallInTheEndIsRefused(t *testing.T) {
	const limit = 16 << 10
	within := strings.Repeat(packed(t, ""), limit) // each member has 20 bytes and nothing in it
	f, site := serve(t, paths(map[string]http.HandlerFunc{"/page": with("Content-Encoding", "gzip, gzip", send("text/html", packed(t, within)))}))
	if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/page", MaxSize: limit}); fault.ReasonOf(err) != webfetch.ReasonTooLarge {
		t.Errorf("Fetch() of %d bytes within %d = %q, %v, want %s", len(within), len(packed(t, within)), page.Content, err, webfetch.ReasonTooLarge)
	}
}

// gzipped answers with a body of gzip that says that it is size bytes long, which net/http holds the handler to.
func gzipped(body string, size int) http.HandlerFunc {
	return with("Content-Encoding", "gzip", with("Content-Length", strconv.Itoa(size), send("text/plain", body)))
}

func TestACompressedBodyThatBreaksOffIsNoFaultOfTheCompression(t *testing.T) {
	text := packed(t, strings.Repeat("A quorum of members. ", 50))
	for name, body := range map[string]string{"in its data": text[:len(text)/2], "in its head": text[:5], "before it begins": ""} {
		f, site := serve(t, paths(map[string]http.HandlerFunc{"/page": gzipped(body, len(text))}))
		if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/page"}); fault.ReasonOf(err) != webfetch.ReasonRead {
			t.Errorf("Fetch() of a body that breaks off %s = %q, %v, want %s", name, page.Content, err, webfetch.ReasonRead)
		}
	}
}

func TestWhatFollowsCompressedDataIsIgnored(t *testing.T) {
	two := packed(t, "one ") + packed(t, "two")
	for name, body := range map[string]string{
		"two members": two, "a line end": two + "\n", "line ends": two + "\r\n\r\n", "zeros": two + strings.Repeat("\x00", 512), "an empty member": packed(t, "") + two,
	} {
		f, site := serve(t, paths(map[string]http.HandlerFunc{"/page": gzipped(body, len(body)), "/file": send("application/gzip", body)}))
		for _, path := range []string{"/page", "/file"} {
			if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + path}); err != nil || page.Content != "one two" {
				t.Errorf("Fetch(%s) with %s = %q, %v, want %q", path, name, page.Content, err, "one two")
			}
		}
	}
	broken := two[:len(two)-3] + "abc" // the length of the second member
	f, site := serve(t, paths(map[string]http.HandlerFunc{"/page": gzipped(broken, len(broken))}))
	if page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/page"}); fault.ReasonOf(err) != webfetch.ReasonEncoding {
		t.Errorf("Fetch() with a broken member = %q, %v, want %s", page.Content, err, webfetch.ReasonEncoding)
	}
}

func TestAPartThatNobodyAskedForIsCut(t *testing.T) {
	for said, want := range map[string]bool{"bytes 0-3/9": true, "bytes 5-8/9": true, "bytes 0-3/*": true, "": true, "bytes 0-3/4": false} {
		f, site := serve(t, paths(map[string]http.HandlerFunc{"/page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", said)
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, "part")
		}}))
		page, err := f.Fetch(t.Context(), webfetch.Request{URL: site + "/page"})
		if err != nil || page.Content != "part" || page.Truncated != want || slices.Contains(page.Warnings, webfetch.WarnCut) != want {
			t.Errorf("Fetch() of 206 with Content-Range %q = %q, truncated %t with %v, %v, want truncated %t", said, page.Content, page.Truncated, page.Warnings, err, want)
		}
	}
}

//go:build !race

// The race detector holds many times the memory that is measured here.

package webfetch_test

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/usagetest"
)

// fetched is the URL that a process started by measureFetch reads.
var fetched = flag.String("fetched", "", "fetch this URL and print what it cost")

// ceiling is what one request may hold over the process that makes it.
const ceiling = 100 << 20

// cost is what a fetch took, and how it ended.
type cost struct {
	CPU    time.Duration
	Memory int64 // bytes at most resident
	Code   webfetch.Code
}

// zeros writes what compresses best until the client has enough, at most a GiB.
func zeros(open func(w io.Writer) io.WriteCloser) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		z := open(w)
		chunk := make([]byte, 1<<20)
		for range 1 << 10 {
			if _, err := z.Write(chunk); err != nil {
				return // the client stopped reading
			}
			if f, ok := z.(interface{ Flush() error }); ok && f.Flush() != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // a MiB may be a few bytes
		}
		_ = z.Close() // the client may be gone
	}
}

// hostileServers answer what an unguarded client dies of.
func hostileServers() map[string]http.HandlerFunc {
	encoded := func(coding string, open func(w io.Writer) io.WriteCloser) http.HandlerFunc {
		return with("Content-Encoding", coding, with("Content-Type", "text/html", zeros(open)))
	}
	drip := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, text) // until the client is gone
				_ = http.NewResponseController(w).Flush()
				<-tick.C
			}
		}
	}
	return map[string]http.HandlerFunc{
		"baseline":    send("text/html", "<p>a page</p>"),
		"gzip-bomb":   encoded("gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
		"brotli-bomb": encoded("br", func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 4) }),
		"zstd-bomb": encoded("zstd", func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) // no option is out of bounds
			return z
		}),
		"endless-chunks": func(w http.ResponseWriter, r *http.Request) {
			zeros(func(io.Writer) io.WriteCloser { return open{w} })(w, r)
		},
		"slowloris":             drip("x"),
		"elements-100000-deep":  send("text/html", strings.Repeat("<div>", 100_000)+"text"),
		"attributes-10-million": send("text/html", "<p "+strings.Repeat("a ", 10_000_000)+">text"),
	}
}

type open struct{ io.Writer }

// Close implements io.Closer.
func (open) Close() error { return nil }

func hostileSite(tb testing.TB) string {
	tb.Helper()
	mux := http.NewServeMux()
	for name, h := range hostileServers() {
		mux.HandleFunc("/"+name, h)
	}
	site := httptest.NewServer(mux)
	tb.Cleanup(site.Close)
	return site.URL
}

func measureFetch(tb testing.TB, site, name string) cost {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), os.Args[0], "-test.run=^TestFetchedInAProcess$", "-fetched="+site+"/"+name).Output()
	if err != nil {
		tb.Fatalf("the process that fetches %s ended: %v\n%.2000s", name, err, out)
	}
	var c cost
	_, after, _ := strings.Cut(string(out), "COST ")
	if err := json.NewDecoder(strings.NewReader(after)).Decode(&c); err != nil {
		tb.Fatalf("the process that fetches %s printed %q", name, out)
	}
	return c
}

// TestFetchedInAProcess is what measureFetch starts.
func TestFetchedInAProcess(t *testing.T) {
	if *fetched == "" {
		t.Skip("started by others, one process for each fetch")
	}
	u, err := url.Parse(*fetched)
	if err != nil {
		t.Fatal(err)
	}
	f := newFetcher(t, webfetch.Options{Policy: &netguard.Policy{AllowOrigins: []string{u.Host}}, AllowedHosts: []string{u.Host}, IgnoreRobots: true})
	before := usagetest.CPU(t)
	req := webfetch.Request{URL: *fetched}
	if strings.Contains(*fetched, "slowloris") {
		req.Timeout = 3 * time.Second // for what has no other end
	}
	if strings.Contains(*fetched, "million") {
		req.MaxSize = webfetch.MaxMaxSize
	}
	page, _ := f.Fetch(t.Context(), req) // the page says how it ended
	text, err := json.Marshal(cost{usagetest.CPU(t) - before, usagetest.Memory(t), page.ErrorCode})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintf(os.Stdout, "COST %s\n", text)
}

func TestARequestHasACeiling(t *testing.T) {
	site := hostileSite(t)
	base := measureFetch(t, site, "baseline")
	for name, want := range map[string]webfetch.Code{
		"gzip-bomb": webfetch.CodeTooLarge, "brotli-bomb": webfetch.CodeTooLarge, "zstd-bomb": webfetch.CodeTooLarge, "endless-chunks": webfetch.CodeTooLarge,
		"slowloris": webfetch.CodeTimeout, "elements-100000-deep": "", "attributes-10-million": "",
	} {
		c := measureFetch(t, site, name)
		if over := c.Memory - base.Memory; over > ceiling || c.Code != want {
			t.Errorf("Fetch(%s) ended %q with %d MiB over the %d of a plain page, want %q and at most %d", name, c.Code, over>>20, base.Memory>>20, want, ceiling>>20)
		}
	}
}

// BenchmarkHostileServers reports what one request costs beyond one of a plain page.
func BenchmarkHostileServers(b *testing.B) {
	site := hostileSite(b)
	base := measureFetch(b, site, "baseline")
	for name := range hostileServers() {
		b.Run(name, func(b *testing.B) {
			var worst cost
			for b.Loop() {
				c := measureFetch(b, site, name)
				worst.CPU, worst.Memory = max(worst.CPU, c.CPU-base.CPU), max(worst.Memory, c.Memory-base.Memory)
			}
			b.ReportMetric(worst.CPU.Seconds()*1000, "cpu-ms")
			b.ReportMetric(float64(worst.Memory>>20), "MiB-over-baseline")
			b.ReportMetric(0, "ns/op")
		})
	}
}

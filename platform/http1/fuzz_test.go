package http1_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/http1"
	"github.com/quorate/quorate/platform/logtest"
)

var seeds = []string{
	get("/"), post("/a?b=c", "hello") + get("/"), get("/") + "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1", post("/", "1") + "\r\n\r\n" + get("/"),
	"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + get("/"),
	"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n12",
	"GET / HTTP/1.1\r\nHost: x\r\nX : y\r\n Z: \t1\r\nTE: trailers\r\n\r\n", "GET /%zz HTTP/1.1\r\nhost: [::1]:1\r\nconnection: keep-alive\r\n\r\n",
}

// FuzzPlain shows that a plain request has only one interpretation: net/http's parser finds the same request and the same rest, however much follows.
func FuzzPlain(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		size, ok := http1.Plain(data)
		if !ok {
			return
		}
		in := bufio.NewReader(bytes.NewReader(data))
		r, err := http.ReadRequest(in)
		if err != nil {
			return // net/http says so
		}
		content, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatalf("the content of %q = %v, want it whole", data, err)
		}
		rest, err := io.ReadAll(in)
		if err != nil || !bytes.Equal(rest, data[size:]) {
			t.Fatalf("behind %q is %q, %v, want what is behind %d bytes", data, rest, err, size)
		}
		if head, _, _ := bytes.Cut(data[:size-len(content)], []byte("\r\n")); string(head) != r.Method+" "+r.RequestURI+" HTTP/1.1" || r.URL.Host != "" || r.Host == "" {
			t.Fatalf("%q is read as %s %s for %q", data, r.Method, r.RequestURI, r.Host)
		}
		if !bytes.Equal(content, data[size-len(content):size]) || int64(len(content)) != r.ContentLength || r.TransferEncoding != nil || r.Close || r.Trailer != nil {
			t.Fatalf("%q is read as content %q of %d bytes, coded %q, closing %t", data, content, r.ContentLength, r.TransferEncoding, r.Close)
		}
	})
}

// FuzzAnswers shows that everything that arrives on a connection, in one piece or in two, is answered as by net/http alone.
func FuzzAnswers(f *testing.F) {
	for n, seed := range seeds {
		f.Add([]byte(seed), uint16(n*20))
	}
	ours, others := serveUnix(f, newServer(tell, new(logtest.Buffer))), serveUnix(f, newOther(tell))
	f.Fuzz(func(t *testing.T, data []byte, split uint16) {
		n := min(int(split), len(data))
		first, second := string(data[:n]), string(data[n:])
		got, want := requests(exchange(t, ours, first, second)), requests(exchange(t, others, first, second))
		if !same(got, want) {
			t.Fatalf("%q and %q are answered with %q, want %q as net/http does", first, second, got, want)
		}
	})
}

// requests leaves out the responses to bytes that are not a request: net/http does not respond to fewer than four bytes after a request, but does so here, where
// they are sent as if they came first.
func requests(answers []string) []string {
	return slices.DeleteFunc(answers, func(a string) bool { return strings.HasPrefix(a, "400 400 ") })
}

package http1_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/logtest"
)

// say returns the handlers of TestAnswersAreThoseOfNetHTTP.
type say func(w http.ResponseWriter, r *http.Request)

func writes(texts ...string) say {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, text := range texts {
			_, _ = io.WriteString(w, text)
		}
	}
}

func with(name, value string, then say) say {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add(name, value)
		then(w, r)
	}
}

func status(code int, then say) say {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		then(w, r)
	}
}

func flushes(then say) say {
	return func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		then(w, r)
	}
}

func TestAnswersAreThoseOfNetHTTP(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("0123456789", 5000)
	tests := map[string]say{
		"nothing":      writes(),
		"a text":       writes("hello", " ", "world"),
		"empty writes": writes("", "", ""),
		"HTML":         writes("<html><body>x</body></html>"),
		"JSON":         with("Content-Type", "application/json", writes("{}")),
		"a type that is nil": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "x")
		},
		"a coding without a type":       with("Content-Encoding", "gzip", writes("x")),
		"a large text":                  writes(large),
		"a large text in pieces":        writes(slices.Repeat([]string{large[:999]}, 50)...),
		"a length":                      with("Content-Length", "5", writes("hello")),
		"a length of much":              with("Content-Length", strconv.Itoa(len(large)), writes(large)),
		"a length that is too large":    with("Content-Length", "6", writes("hello")),
		"a length that is too small":    with("Content-Length", "4", writes("hell", "o")),
		"a length that is none":         with("Content-Length", "x", writes("hello")),
		"a length of less than nothing": with("Content-Length", "-5", writes("hello")),
		"no content":                    status(204, writes("hello")),
		"no content and a length":       with("Content-Length", "5", status(204, writes())),
		"not modified":                  with("Content-Type", "text/plain", with("Etag", `"1"`, status(304, writes("hello")))),
		"not modified, with a length":   with("Content-Length", "5", status(304, writes("hello"))),
		"an error":                      status(500, writes("oops")),
		"a status without a name":       status(799, writes("x")),
		"two statuses":                  status(201, status(500, writes("x"))),
		"a status after content": func(w http.ResponseWriter, r *http.Request) {
			writes("x")(w, r)
			w.WriteHeader(http.StatusInternalServerError)
		},
		"a field after the status":       status(200, with("X", "late", writes("x"))),
		"a field after the end of lines": with("X", "1\r\nY: 2", writes("x")),
		"a name that is none":            with("X y", "1", with("X\r\nY", "1", writes("x"))),
		"fields with many values":        with("X", "1", with("X", "2", with("A", "", writes("x")))),
		"a date":                         with("Date", "then", writes("x")),
		"no date":                        func(w http.ResponseWriter, _ *http.Request) { w.Header()["Date"] = nil },
		"the end of the connection":      with("Connection", "close", writes("x")),
		"flushed":                        flushes(writes("a", "b")),
		"flushed with a length":          with("Content-Length", "2", flushes(writes("a", "b"))),
		"flushed at the end":             func(w http.ResponseWriter, r *http.Request) { writes("x")(w, r); flushes(writes())(w, r) },
		"flushed in between":             func(w http.ResponseWriter, r *http.Request) { writes("x")(w, r); flushes(writes("y"))(w, r) },
		"flushed without content":        status(204, flushes(writes("x"))),
		"chunks on purpose":              with("Transfer-Encoding", "chunked", with("Content-Type", "x/y", flushes(writes("a")))),
		"an echo": func(w http.ResponseWriter, r *http.Request) {
			content, err := io.ReadAll(r.Body)
			_, _ = fmt.Fprint(w, string(content), err, r.Header, r.Host, r.ContentLength, r.Proto, r.TransferEncoding, r.TLS, r.URL, r.Trailer)
		},
		"content that nobody reads": func(w http.ResponseWriter, r *http.Request) { _ = r.Body.Close(); writes("x")(w, r) },
		"content that is read late": func(w http.ResponseWriter, r *http.Request) { writes("x")(w, r); _, _ = io.Copy(w, r.Body) },
		"a redirect":                func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/y", http.StatusSeeOther) },
		"an error in a line":        func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) },
		"a file": func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "x.txt", time.Time{}, strings.NewReader(large))
		},
		"what a handler can ask for": controls,
		"more than a length":         with("Content-Length", "1", insists(http.ErrContentLength)),
		"content where none can be":  status(204, insists(http.ErrBodyNotAllowed)),
		"a panic":                    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a wrong status":             status(99, writes("x")),
	}
	pick := func(w http.ResponseWriter, r *http.Request) { tests[r.Header.Get("Test")](w, r) }
	ours, others := serveUnix(t, newServer(http.HandlerFunc(pick), new(logtest.Buffer))), serveUnix(t, newOther(http.HandlerFunc(pick)))
	for name := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, want := ask(t, ours, name), ask(t, others, name)
			if got != want {
				t.Errorf("the answer is\n%.1000s\nwant that of net/http:\n%.1000s", got, want)
			}
		})
	}
}

// insists writes until a write fails, and panics if the error is not the expected one.
func insists(want error) say {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, err := io.WriteString(w, "a")
		if err == nil {
			_, err = io.WriteString(w, "b")
		}
		if !errors.Is(err, want) {
			panic(fmt.Sprintf("Write() = %v, want %v", err, want))
		}
	}
}

// controls tests what http.ResponseController supports.
func controls(w http.ResponseWriter, _ *http.Request) {
	c := http.NewResponseController(w)
	_, plain := w.(http.Flusher)
	_, _ = fmt.Fprintln(w, c.SetReadDeadline(time.Now().Add(time.Minute)), c.SetWriteDeadline(time.Now().Add(time.Minute)), c.Flush(), plain)
}

// ask sends two requests over one connection and returns the responses, without what may differ: the time, and whether there is a length or chunks.
func ask(t *testing.T, path, test string) string {
	t.Helper()
	conn := dial(t, "unix", path)
	request := "POST /a%20b?c HTTP/1.1\r\nHost: x\r\nAccept: a\r\nAccept: b\r\nTest: " + test + "\r\nContent-Length: 5\r\n\r\nhello"
	send(t, conn, request+request)
	_ = conn.(interface{ CloseWrite() error }).CloseWrite()
	in, said := bufio.NewReader(conn), new(bytes.Buffer)
	for {
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			fmt.Fprintln(said, "then nothing")
			return said.String()
		}
		content, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && time.Since(date) < time.Minute {
			resp.Header.Set("Date", "now")
		}
		if length := resp.Header.Get("Content-Length"); length == strconv.Itoa(len(content)) && resp.StatusCode != http.StatusNoContent {
			resp.Header.Del("Content-Length")
		}
		fmt.Fprintln(said, resp.Status, resp.Proto, resp.Close, errors.Is(err, io.ErrUnexpectedEOF))
		for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
			fmt.Fprintf(said, "%s: %q\n", name, resp.Header[name])
		}
		fmt.Fprintf(said, "%d %s\n", len(content), content)
	}
}

package http1

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"strings"
)

// unknown is the length of a response that may still grow.
const unknown = -1

// Header fields that a handler cannot set, because it does not decide how a response is framed. A response without content has no content type either.
var (
	framing     = map[string]bool{"Connection": true, "Content-Length": true, "Trailer": true, "Transfer-Encoding": true}
	notModified = map[string]bool{"Connection": true, "Content-Length": true, "Trailer": true, "Transfer-Encoding": true, "Content-Type": true}
)

// head encodes the status line and the header fields of a response. Those of the handler come first; those that depend on the content follow when it is sent.
type head struct {
	status   int   // zero before WriteHeader
	length   int64 // of the content
	dated    bool  // the handler has set Date
	typed    bool  // the handler has set the content type, or none is needed
	closes   bool  // the connection ends after the response
	chunked  bool
	complete bool
}

// begin writes the status and the handler's fields. As in net/http, fields with invalid names are left out, and line breaks in values become spaces.
func (h *head) begin(to *bytes.Buffer, status int, fields http.Header) {
	h.status, h.length = status, unknown
	code := strconv.Itoa(status)
	write(to, "HTTP/1.1 ", code, " ", cmp.Or(http.StatusText(status), "status code "+code), "\r\n")
	hidden := framing
	if status == http.StatusNotModified {
		hidden = notModified
	}
	_ = fields.WriteSubset(to, hidden) // writing to memory cannot fail
	_, h.dated = fields["Date"]
	_, h.typed = fields["Content-Type"]
	h.typed = h.typed || fields.Get("Content-Encoding") != ""
	h.closes = strings.EqualFold(fields.Get("Connection"), "close")
	if length := fields.Get("Content-Length"); length != "" {
		if n, err := strconv.ParseInt(length, 10, 64); err == nil && n >= 0 {
			h.length = n
		}
	}
}

// hasContent reports whether a response with this status has content.
func (h *head) hasContent() bool {
	return h.status != http.StatusNoContent && h.status != http.StatusNotModified
}

// end writes the rest of the head. content is the beginning of the content; last says that the connection ends after the response.
func (h *head) end(to *bytes.Buffer, content []byte, last bool) {
	h.complete, h.closes = true, h.closes || last
	h.chunked = h.length == unknown && h.hasContent()
	if !h.dated {
		write(to, "Date: ", date(), "\r\n")
	}
	if !h.typed && len(content) > 0 {
		write(to, "Content-Type: ", http.DetectContentType(content), "\r\n")
	}
	switch {
	case h.chunked:
		write(to, "Transfer-Encoding: chunked\r\n")
	case h.hasContent():
		write(to, "Content-Length: ", strconv.FormatInt(h.length, 10), "\r\n")
	}
	if h.closes {
		write(to, "Connection: close\r\n")
	}
	write(to, "\r\n")
}

func write(to *bytes.Buffer, texts ...string) {
	for _, text := range texts {
		to.WriteString(text)
	}
}

package http1

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"strings"
)

// unknown is the length of an answer that may grow.
const unknown = -1

// Fields that a handler cannot send: how an answer is framed is not its decision. Without content there is no type of it either.
var (
	framing     = map[string]bool{"Connection": true, "Content-Length": true, "Trailer": true, "Transfer-Encoding": true}
	notModified = map[string]bool{"Connection": true, "Content-Length": true, "Trailer": true, "Transfer-Encoding": true, "Content-Type": true}
)

// head is the status line and the fields of an answer. They are taken from the handler first; those that depend on the content follow when it is sent.
type head struct {
	status   int   // zero before WriteHeader
	length   int64 // of the content
	dated    bool  // by the handler
	typed    bool  // by the handler, or of no use
	closes   bool  // the connection ends with the answer
	chunked  bool
	complete bool
}

// begin writes what the handler says. As in net/http, names that are none are left out, and line ends in values become spaces.
func (h *head) begin(to *bytes.Buffer, status int, fields http.Header) {
	h.status, h.length = status, unknown
	code := strconv.Itoa(status)
	write(to, "HTTP/1.1 ", code, " ", cmp.Or(http.StatusText(status), "status code "+code), "\r\n")
	hidden := framing
	if status == http.StatusNotModified {
		hidden = notModified
	}
	_ = fields.WriteSubset(to, hidden) // into memory
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

// hasContent reports whether an answer of this status has content.
func (h *head) hasContent() bool {
	return h.status != http.StatusNoContent && h.status != http.StatusNotModified
}

// end writes the rest of the head of an answer that begins with some content.
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

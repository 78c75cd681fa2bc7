package agentclient

import (
	"bytes"
	"io"
	"net/http"
)

// bounds is the body of an answer that a2a-go reads, which itself has no end to what it keeps of one.
type bounds struct {
	io.ReadCloser
	at     *door
	events bool // each event is bounded, and not the whole
	size   int  // of what was read so far of an answer or an event
	line   int  // of what was read so far of a line
	cr     bool // which is a carriage return
}

func newBounds(at *door, resp *http.Response) *bounds {
	return &bounds{ReadCloser: resp.Body, at: at, events: isEventStream(resp)}
}

// Read reads the body.
func (b *bounds) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(p[:n])
	if b.size > maxAnswerBytes {
		return 0, invalid(b.at, "more than %d MiB", maxAnswerBytes>>20)
	}
	return n, err
}

// count counts what was read; an empty line is the end of an event.
func (b *bounds) count(read []byte) {
	for b.events {
		part, rest, ended := bytes.Cut(read, []byte("\n"))
		b.cr = b.cr && len(part) == 0 || b.line == 0 && string(part) == "\r"
		b.line += len(part)
		b.size += len(part)
		if !ended {
			return
		}
		if b.line == 0 || b.cr {
			b.size = 0
		}
		read, b.line, b.cr = rest, 0, false
	}
	b.size += len(read)
}

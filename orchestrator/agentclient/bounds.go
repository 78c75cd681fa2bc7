package agentclient

import (
	"bytes"
	"io"
	"net/http"
)

// bounds is the body of an answer that a2a-go reads. It limits the size, which a2a-go does not.
type bounds struct {
	io.ReadCloser
	at     *door
	events bool // the limit is for each event, not for the whole
	size   int  // bytes read so far of the answer or event
	line   int  // bytes read so far of the line
	cr     bool // the last of these is a carriage return
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

// count counts what was read. An empty line ends an event.
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

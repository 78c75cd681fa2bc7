package pdftext

import (
	"bytes"
	"io"
	"time"

	"github.com/quorate/quorate/agents/webfetch/extract/cputime"
)

// Limits of reading from a file.
const (
	minTime    = 150 * time.Millisecond // of CPU, plus more for each MiB: a hostile file of 1 MiB stays below 500 ms and 100 MB
	timePerMiB = 250 * time.Millisecond
	maxReads   = 64 << 20 // bytes; the library reads an object again each time it is referred to
	chunk      = 512      // bytes of a stream between two checks of the time: one may decompress to a thousand
)

// timeFor returns the CPU time that reading data may take.
func timeFor(data []byte) time.Duration { return minTime + time.Duration(len(data)>>10)*timePerMiB>>10 }

// source is the file that the library reads from. It panics with ErrWork when too many bytes were read, or the time is used up.
type source struct {
	limit cputime.Budget
	data  *bytes.Reader
	left  int // bytes
}

var _ io.ReaderAt = (*source)(nil)

// spent reports whether reading has to end.
func (s *source) spent() bool { return s.left < 0 || s.limit.Spent() != nil }

// ReadAt implements io.ReaderAt, except that it may read less than p holds.
func (s *source) ReadAt(p []byte, at int64) (int, error) {
	if s.left -= len(p); s.spent() {
		panic(ErrWork)
	}
	if len(p) > 2*chunk {
		p = p[:chunk] // buffers ask for more than they need, and decompressing it would take long
	}
	n, err := s.data.ReadAt(p, at)
	if at < int64(len(header)) {
		copy(p[:n], header[at:])
	}
	return n, err
}

// header is the beginning of a file that the library accepts: it knows no other version, and wants the end of a line behind it.
const header = "%PDF-1.7\n"

// trimmed returns data without what comes before its header and after its end. As other readers do, it looks for them in the first and in the last
// kilobyte.
func trimmed(data []byte) []byte {
	const near = 1024
	if begin := bytes.Index(data[:min(len(data), near)], []byte("%PDF-")); begin > 0 {
		data = data[begin:]
	}
	tail := max(0, len(data)-near)
	if end := bytes.LastIndex(data[tail:], []byte("%%EOF")); end >= 0 {
		data = data[:tail+end+len("%%EOF")]
	}
	return data
}

// pacedReader ends reading a stream when the source is spent, however much the stream decompresses to.
type pacedReader struct {
	io.Reader

	source *source
}

// Read implements io.Reader.
func (r pacedReader) Read(p []byte) (int, error) {
	if r.source.spent() {
		panic(ErrWork)
	}
	return r.Reader.Read(p)
}

package webfetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// members reads the members of gzip data one after the other (RFC 1952 section 2.2), up to what is none: some servers leave bytes behind the last one,
// and browsers ignore them.
type members struct {
	now  *gzip.Reader
	from *bufio.Reader
}

// gunzip returns a reader of the data that r holds compressed. Its error is io.EOF when r is empty.
func gunzip(r io.Reader) (io.Reader, error) {
	from := bufio.NewReader(r)
	now, err := gzip.NewReader(from)
	if err != nil {
		return nil, err
	}
	now.Multistream(false)
	return &members{now, from}, nil
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.now.Read(p)
		if err == nil || !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := m.next(); err != nil || n > 0 {
			return n, err
		}
	}
}

// next moves to the next member. It returns io.EOF when there is none.
func (m *members) next() error {
	begin := []byte{0x1f, 0x8b}
	head, err := m.from.Peek(len(begin))
	if err != nil {
		return err
	}
	if !bytes.Equal(head, begin) {
		return io.EOF
	}
	if err := m.now.Reset(m.from); err != nil {
		return err
	}
	m.now.Multistream(false)
	return nil
}

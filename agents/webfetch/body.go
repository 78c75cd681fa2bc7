package webfetch

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

const (
	acceptEncoding = "gzip, deflate, br, zstd"
	maxCodings     = 2       // nested; more is taken for a bomb
	maxZstdWindow  = 8 << 20 // RFC 9659 section 3
)

// readBody reads and decompresses a body of at most limit bytes. A longer one is an error or is cut, as long says. The limit applies before and after
// each decompression, so a bomb costs no more than an honest body, even one that its second decompression makes small.
func readBody(u *url.URL, resp *http.Response, limit int64, long longBody) (data []byte, cut bool, err error) {
	if resp.ContentLength > limit && long != cutBody {
		return nil, false, tooLarge(u, limit, resp.ContentLength)
	}
	from := &noting{Reader: resp.Body}
	wire := &io.LimitedReader{R: from, N: limit + 1}
	codings, err := codingsOf(u, resp.Header)
	if err != nil {
		return nil, false, err
	}
	steps := []*io.LimitedReader{wire} // the body before and after each decompression
	var closers []func()
	defer func() {
		for _, closing := range closers {
			closing()
		}
	}()
	for _, coding := range slices.Backward(codings) {
		decoder, closing, err := decoderOf(coding, steps[len(steps)-1])
		if errors.Is(err, io.EOF) && wire.N == limit+1 {
			return nil, false, nil // servers often send the header with an empty body
		}
		if err != nil {
			return nil, false, cmp.Or(from.err, badEncoding(u, coding, err))
		}
		steps, closers = append(steps, &io.LimitedReader{R: decoder, N: limit + 1}), append(closers, closing)
	}

	data, err = io.ReadAll(steps[len(steps)-1])
	overlong := slices.ContainsFunc(steps, func(step *io.LimitedReader) bool { return step.N <= 0 })
	switch {
	case overlong && long == refuseBody:
		return nil, false, tooLarge(u, limit, max(resp.ContentLength, limit+1))
	case overlong:
		return data[:min(int64(len(data)), limit)], true, nil
	case err != nil && len(codings) > 0:
		return nil, false, cmp.Or(from.err, badEncoding(u, strings.Join(codings, ", "), err))
	}
	return data, false, err
}

// noting remembers why reading failed: decoders take any end for a fault of the compression.
type noting struct {
	io.Reader

	err error // nil at the end of what there is to read
}

// Read implements io.Reader.
func (n *noting) Read(p []byte) (int, error) {
	size, err := n.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n.err = err
	}
	return size, err
}

// unpacked returns the file in b when it is one that is kept compressed, as sitemaps are: its bytes say what it is.
func (b body) unpacked(limit int64) (body, error) {
	mediaType, _, _ := strings.Cut(b.contentType, ";")
	switch strings.ToLower(strings.TrimSpace(mediaType)) {
	case "application/gzip", "application/x-gzip":
	default:
		return b, nil
	}
	b.contentType = ""
	file, err := gunzip(bytes.NewReader(b.data))
	if err != nil {
		return b, nil //nolint:nilerr // it was unpacked before, by the encoding of the answer, or is something else
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case int64(len(data)) > limit:
		return b, tooLarge(b.url, limit, limit+1)
	case err != nil:
		return b, badEncoding(b.url, "gzip", err)
	}
	b.data = data
	return b, nil
}

func tooLarge(u *url.URL, limit, size int64) error {
	advice := "choose a smaller page"
	if limit < MaxMaxSize {
		advice = fmt.Sprintf("raise max_size (at most %d) or %s", MaxMaxSize, advice)
	}
	return failure(fault.FailedPrecondition, ReasonTooLarge, u, "its body is longer than %d bytes; %s", limit, advice).
		With("limit", strconv.FormatInt(limit, 10)).With("size", strconv.FormatInt(size, 10))
}

// codingsOf returns the codings of a body in the order in which they were applied.
func codingsOf(u *url.URL, h http.Header) ([]string, error) {
	var codings []string
	for coding := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Content-Encoding"), ",")), ",") {
		switch coding = strings.TrimSpace(coding); coding {
		case "", "identity", "none", "utf-8": // the last two are no codings, but servers send them
		case "gzip", "x-gzip", "deflate", "br", "zstd":
			codings = append(codings, coding)
		default:
			return nil, failure(fault.FailedPrecondition, ReasonEncoding, u, "its body is encoded as %q, and only %s was asked for", bounded.Characters(coding, 40), acceptEncoding)
		}
	}
	if len(codings) > maxCodings {
		return nil, failure(fault.FailedPrecondition, ReasonEncoding, u, "its body is encoded %d times over", len(codings))
	}
	return codings, nil
}

func decoderOf(coding string, r io.Reader) (decoder io.Reader, closing func(), err error) {
	switch coding {
	case "deflate":
		return inflate(r)
	case "br":
		buffered := bufio.NewReader(r)
		if _, err := buffered.Peek(1); err != nil {
			return nil, nil, err
		}
		return brotli.NewReader(buffered), func() {}, nil
	case "zstd":
		buffered := bufio.NewReader(r)
		if _, err := buffered.Peek(1); err != nil {
			return nil, nil, err
		}
		decoder, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, nil, err
		}
		return decoder, decoder.Close, nil
	default:
		unzipped, err := gunzip(r)
		return unzipped, func() {}, err
	}
}

// inflate reads zlib data, which deflate stands for (RFC 9110 section 8.4.1.2), or raw deflate data, which servers send too.
func inflate(r io.Reader) (io.Reader, func(), error) {
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(2)
	if len(head) == 0 {
		return nil, nil, err
	}
	const zlibMethod, checksum = 8, 31
	if len(head) == 2 && head[0]&0x0f == zlibMethod && (int(head[0])<<8|int(head[1]))%checksum == 0 {
		unzipped, err := zlib.NewReader(buffered)
		return unzipped, func() {}, err
	}
	return flate.NewReader(buffered), func() {}, nil
}

// badEncoding returns a fault about the compression.
func badEncoding(u *url.URL, coding string, err error) error {
	failed := failure(fault.FailedPrecondition, ReasonEncoding, u, "its %s body is broken; the server has to fix it", coding)
	failed.Cause = err
	return failed
}

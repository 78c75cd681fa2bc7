package webfetch

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// readBody reads and decompresses at most limit bytes; a longer body is an error. The limit holds on the wire and after
// decompression, so a gzip bomb costs no more than an honest body.
func readBody(u *url.URL, resp *http.Response, limit int64) ([]byte, error) {
	tooLarge := failure(fault.FailedPrecondition, ReasonTooLarge, u, "its body is longer than %d bytes; raise max_size (at most %d) or choose a smaller page", limit, MaxMaxSize)
	if resp.ContentLength > limit {
		return nil, tooLarge
	}
	wire := &io.LimitedReader{R: resp.Body, N: limit + 1}
	var plain io.Reader = wire
	switch coding := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); coding {
	case "", "identity":
	case "gzip", "x-gzip":
		unzipped, err := gzip.NewReader(wire)
		if errors.Is(err, io.EOF) {
			return nil, nil // an empty body is often sent with the header
		}
		if err != nil {
			return nil, badEncoding(u, err)
		}
		plain = unzipped
	default:
		return nil, failure(fault.FailedPrecondition, ReasonEncoding, u, "its body is encoded as %q, and only gzip was asked for", prefix(coding, 40))
	}

	data, err := io.ReadAll(io.LimitReader(plain, limit+1))
	switch {
	case int64(len(data)) > limit || wire.N <= 0:
		return nil, tooLarge
	case err != nil && plain != wire:
		return nil, badEncoding(u, err)
	case err != nil:
		return nil, err
	}
	return data, nil
}

// badEncoding returns err itself unless it is about the compressed form: a broken connection is no fault of the encoding.
func badEncoding(u *url.URL, err error) error {
	if !errors.Is(err, gzip.ErrHeader) && !errors.Is(err, gzip.ErrChecksum) && !errors.Is(err, io.ErrUnexpectedEOF) && !strings.HasPrefix(err.Error(), "flate:") {
		return err
	}
	failed := failure(fault.FailedPrecondition, ReasonEncoding, u, "its gzip body is broken; the server has to mend it")
	failed.Cause = err
	return failed
}

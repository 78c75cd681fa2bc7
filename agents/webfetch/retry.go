package webfetch

import (
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/pause"
)

const (
	maxRetries    = 2
	maxRetryWait  = 2 * time.Second // a server that asks for more is not waited for
	maxRetryAfter = time.Hour
)

// retrier repeats a GET after temporary failures, with growing waits in between.
type retrier struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = 100*time.Millisecond, maxRetryWait
	for try := 0; ; try++ {
		resp, err := r.next.RoundTrip(req)
		if try >= maxRetries || req.Method != http.MethodGet || req.Context().Err() != nil || !passing(resp, err) {
			return resp, err
		}
		wait := waits.NextBackOff()
		if err == nil {
			wait = max(wait, retryAfter(resp))
		}
		if deadline, ok := req.Context().Deadline(); wait > maxRetryWait || ok && time.Until(deadline) < 2*wait {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close() // the next answer takes its place
		}
		if err := pause.For(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// passing reports whether a failure may be temporary.
func passing(resp *http.Response, err error) bool {
	if err == nil {
		return busy(resp.StatusCode)
	}
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsTemporary && !dns.IsNotFound
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func busy(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// retryAfter returns how long the server asks to wait, at most an hour, or 0 when it does not say.
func retryAfter(resp *http.Response) time.Duration {
	return pause.Asked(resp.Header, maxRetryAfter)
}

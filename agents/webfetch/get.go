package webfetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const (
	maxRedirects  = 5
	maxRetryAfter = time.Hour
)

// body is what a server answered with.
type body struct {
	url         *url.URL // that answered
	data        []byte   // decompressed
	contentType string   // the header
}

// get follows at most maxRedirects redirects from u and reads the answer.
func (f *Fetcher) get(ctx context.Context, u *url.URL, limits Limits) (body, Page, error) {
	for range maxRedirects + 1 {
		resp, err := f.ask(ctx, u, limits)
		if err != nil {
			return body{}, Page{}, err
		}
		next, err := redirect(u, resp)
		if next == nil && err == nil {
			return f.read(ctx, u, resp, limits)
		}
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			return body{}, Page{}, err
		}
		u = next
	}
	return body{}, Page{}, failure(fault.FailedPrecondition, ReasonTooManyRedirects, u, "it redirects more than %d times; give the final URL", maxRedirects)
}

// ask sends one request when the origin and the guard admit u.
func (f *Fetcher) ask(ctx context.Context, u *url.URL, limits Limits) (*http.Response, error) {
	if err := f.policy.CheckURL(u); err != nil {
		return nil, refusal(u, fault.From(err))
	}
	if err := f.allowed.check(u); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return nil, failure(fault.InvalidArgument, ReasonURLInvalid, u, "it cannot be put in a request; check how it is written")
	}
	req.Header.Set("User-Agent", f.userAgent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8")
	req.Header.Set("Accept-Encoding", "gzip") // said here, so that net/http does not decompress without our limit
	resp, err := f.client.Do(req)
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		return nil, refusal(u, refused)
	}
	if err != nil {
		return nil, f.networkError(ctx, u, limits, err)
	}
	return resp, nil
}

// redirect returns the URL that resp sends to, or nil when it sends nowhere.
func redirect(from *url.URL, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	if resp.Header.Get("Location") == "" {
		return nil, nil
	}
	next, err := resp.Location()
	if err != nil {
		return nil, failure(fault.FailedPrecondition, ReasonURLInvalid, from, "it redirects to a URL that cannot be read")
	}
	return next, normalise(next)
}

// read reads the body of an answer that is no redirect, and closes it.
func (f *Fetcher) read(ctx context.Context, u *url.URL, resp *http.Response, limits Limits) (body, Page, error) {
	page := Page{URL: printable(u.String()), Domain: u.Hostname(), StatusCode: resp.StatusCode, ContentType: printable(resp.Header.Get("Content-Type"))}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return body{}, page, errors.Join(statusError(u, resp), resp.Body.Close())
	}
	data, err := readBody(u, resp, limits.MaxSize)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return body{}, page, f.networkError(ctx, u, limits, err)
	}
	return body{url: u, data: data, contentType: page.ContentType}, page, nil
}

// statusError turns an answer that is no success into a fault.
func statusError(u *url.URL, resp *http.Response) error {
	kind, advice := fault.FailedPrecondition, "open it in a browser to see what it asks for"
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone:
		kind, advice = fault.NotFound, "check the address"
	case code == http.StatusTooManyRequests || code >= 500:
		kind, advice = fault.Unavailable, "try again later"
	}
	err := failure(kind, ReasonStatus, u, "the server answered %d %s; %s", resp.StatusCode, http.StatusText(resp.StatusCode), advice).
		With("status_code", strconv.Itoa(resp.StatusCode))
	if seconds, convErr := strconv.Atoi(resp.Header.Get("Retry-After")); convErr == nil && seconds > 0 {
		err.RetryAfter = min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	return err
}

// networkError turns what went wrong between us and the server into a fault.
func (f *Fetcher) networkError(ctx context.Context, u *url.URL, limits Limits, err error) error {
	if known, ok := errors.AsType[*fault.Error](err); ok {
		return known
	}
	if ctx.Err() != nil {
		return f.ended(ctx, u, limits)
	}
	what := "no answer, or one that broke off"
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		what = "its certificate is not valid"
	} else if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		what = "there is no such host"
	} else if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return failure(fault.DeadlineExceeded, ReasonTimeout, u, "the server did not take the connection in time; try later")
	}
	failed := failure(fault.Unavailable, ReasonNetwork, u, "%s; check the address or try later", what)
	failed.Cause = err
	return failed
}

// refusal adds the URL to what the guard said.
func refusal(u *url.URL, why *fault.Error) error {
	err := failure(why.Kind, why.Reason, u, "%s", why.Message)
	err.Violations, err.Cause = why.Violations, why.Cause
	return err
}

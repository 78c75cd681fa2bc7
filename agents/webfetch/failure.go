package webfetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const cannotFetch = "cannot fetch "

// failure returns a fault about u. format and args say what is wrong and what to do.
func failure(kind fault.Kind, reason string, u *url.URL, format string, args ...any) *fault.Error {
	where := Redact(u)
	return fault.New(kind, reason, cannotFetch+"%s: "+format, append([]any{where}, args...)...).With("url", where)
}

// Redact returns u for logs and messages: without user, password and fragment, and without the values in the query.
func Redact(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}
	if u.RawQuery == "" {
		return printable(shown.String())
	}
	names := make([]byte, 0, len(u.RawQuery))
	value := false
	for _, c := range []byte(u.RawQuery) {
		switch {
		case c == '&':
			value = false
		case c == '=' && !value:
			value = true
			names = append(names, "=[redacted]"...)
		}
		if !value {
			names = append(names, c)
		}
	}
	return printable(shown.String() + "?" + string(names))
}

// printable replaces invalid UTF-8: a redirect may contain any byte, and protobuf refuses such strings.
func printable(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// statusError returns the fault for an answer with an unsuccessful status. wait is how long the server asks to wait.
func statusError(u *url.URL, status int, wait time.Duration) error {
	kind, advice := fault.FailedPrecondition, "open it in a browser to see what it asks for"
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		kind, advice = fault.NotFound, "check the address"
	case wait > 0 && (status == http.StatusTooManyRequests || status >= 500):
		kind, advice = fault.Unavailable, fmt.Sprintf("try again in %s", wait.Round(time.Second))
	case status == http.StatusTooManyRequests || status >= 500:
		kind, advice = fault.Unavailable, "try again later"
	case status < 400:
		advice = "that has no page, and no address to go on to"
	}
	text := http.StatusText(status) // nothing for a number of the server's own
	err := failure(kind, ReasonStatus, u, "the server answered %s; %s", strings.TrimSpace(fmt.Sprintf("%d %s", status, text)), advice).
		With("status_code", strconv.Itoa(status)).With("status_text", text)
	err.RetryAfter = wait
	return err
}

// ended returns why ctx has ended: canceled by the caller, or out of time.
func (p *plan) ended(ctx context.Context, u *url.URL) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("fetch %s: %w", Redact(u), ctx.Err())
	}
	took, advice := p.limits.Timeout, "try later"
	if most := p.profile.most.Timeout; took < most {
		advice = fmt.Sprintf("allow more time (at most %s) or %s", most, advice)
	}
	return failure(fault.DeadlineExceeded, ReasonTimeout, u, "it took longer than %s; %s", took, advice).With("timeout", took.String())
}

// networkError returns the fault for an error on the way to the server. It has the given reason unless more is known.
func (p *plan) networkError(ctx context.Context, u *url.URL, reason string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok { // of the guard, or of the pace
		return withURL(u, err)
	}
	if ctx.Err() != nil {
		return p.ended(ctx, u)
	}
	what, advice := "no answer, or one that broke off", "check the address or try later"
	switch dns, isDNS := errors.AsType[*net.DNSError](err); {
	case isTLS(err):
		reason, what = ReasonTLS, "its certificate or its TLS is not valid"
	case isDNS && dns.IsNotFound:
		reason, what = ReasonDNS, "there is no such host"
	case isDNS:
		reason, what = ReasonDNS, "its host name could not be looked up"
	case isTimeout(err):
		return failure(fault.DeadlineExceeded, ReasonTimeout, u, "the server did not take the connection in time; try later").With("timeout", p.limits.Timeout.String())
	case reason == ReasonRead:
		what = "its answer broke off"
	case hasText(err, "response headers exceeded", "header list larger"):
		what, advice = fmt.Sprintf("the headers of its answer are longer than %d KiB", maxResponseHeader>>10), "choose another page"
	case hasText(err, "malformed MIME header"):
		what, advice = "a header of its answer is broken", "the server has to fix it"
	case hasText(err, "malformed HTTP"):
		what, advice = "what answers there does not speak HTTP", "check the address and its port"
	}
	failed := failure(fault.Unavailable, reason, u, "%s; %s", what, advice)
	failed.Cause = err
	return failed
}

// hasText reports whether an error has one of texts: net/http exports no errors of these kinds.
func hasText(err error, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(err.Error(), text) })
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

func isTLS(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return true
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	return strings.Contains(err.Error(), "remote error: tls:") // crypto/tls does not export the type of an alert it received
}

// withURL returns a fault of another package as one about u, and any other error as it is.
func withURL(u *url.URL, err error) error {
	why, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	told := failure(why.Kind, why.Reason, u, "%s", detail(why))
	told.Violations, told.Cause, told.RetryAfter, told.Ours = why.Violations, why.Cause, why.RetryAfter, why.Ours
	for name, value := range why.Metadata {
		if name != "url" {
			told = told.With(name, value)
		}
	}
	return told
}

// detail returns the message of a fault without the URL that failure puts in front.
func detail(err *fault.Error) string {
	return strings.TrimPrefix(err.Message, cannotFetch+err.Metadata["url"]+": ")
}

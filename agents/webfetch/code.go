package webfetch

import (
	"context"
	"errors"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Failure says why a page could not be read. The zero value means that nothing failed.
type Failure struct {
	Error       string `json:"error,omitempty"`        // for people, in their language
	ErrorCode   Code   `json:"error_code,omitempty"`   // for programs that know the earlier fetch tools
	ErrorReason string `json:"error_reason,omitempty"` // for programs: one of this package's reasons, of its callers' or, for what is none of these, INTERNAL or CANCELED
	ErrorStatus string `json:"error_status,omitempty"` // google.rpc.Code of the reason, such as NOT_FOUND
}

// Code identifies why a page could not be read; it is the error_code of an answer.
type Code string

// Error codes. Those of the earlier fetch tools are kept unchanged.
const (
	CodeInvalidArgument Code = "invalid_argument"         // a field of the request is out of bounds, or two fields exclude each other
	CodeInvalidURL      Code = "invalid_url"              // not a URL that can be fetched
	CodeScheme          Code = "scheme_not_allowed"       // neither http nor https
	CodeDomain          Code = "domain_not_allowed"       // the host is not on the allowlist
	CodePort            Code = "port_not_allowed"         // neither one of the usual web ports nor listed
	CodeSSRF            Code = "ssrf_blocked"             // the address or port is not that of a public web server
	CodeRedirects       Code = "too_many_redirects"       // more than allowed
	CodeDNS             Code = "dns_error"                // the host's name has no address
	CodeTLS             Code = "tls_error"                // the certificate or the handshake is not valid
	CodeNetwork         Code = "network_error"            // no answer
	CodeRead            Code = "read_error"               // the answer broke off
	CodeRequest         Code = "request_error"            // the request cannot be built, usually because of its headers
	CodeTimeout         Code = "timeout"                  // it took longer than allowed
	CodeCanceled        Code = "canceled"                 // the caller canceled
	CodeStatus          Code = "status_error"             // the server answered 400 or above
	CodeTooLarge        Code = "too_large"                // the body is longer than max_size
	CodeDecompression   Code = "decompression_error"      // the compression is broken or unknown, or a bomb
	CodeContentType     Code = "unsupported_content_type" // the content cannot be converted as requested
	CodeParsing         Code = "parsing_error"            // the document cannot be parsed, or would cost too much
	CodeSelector        Code = "selector_error"           // selector, xpath or json_path is not valid
	CodeNoMatch         Code = "no_match"                 // nothing in the page matches it
	CodeContentChanged  Code = "content_changed"          // the page has changed since the answer that start_index refers to
	CodeRobots          Code = "robots_disallowed"        // the site's robots.txt excludes this agent
	CodeRateLimited     Code = "rate_limited"             // this agent already reads the site as often as it may
	CodeAuth            Code = "auth_required"            // the named credential is unknown, not for this host, or was refused
	CodeRender          Code = "render_error"             // the browser could not render the page, or there is none
	CodeBackend         Code = "backend_error"            // the remote Markdown service failed
	CodeDisabled        Code = "disabled"                 // an operator has switched fetching off
	CodeInternal        Code = "internal_error"           // a mistake of ours
)

// Reasons of this package's faults. Each has a code.
const (
	ReasonRequestInvalid   = "REQUEST_INVALID"             // InvalidArgument
	ReasonURLInvalid       = netguard.ReasonURLInvalid     // InvalidArgument or FailedPrecondition
	ReasonScheme           = "SCHEME_NOT_ALLOWED"          // InvalidArgument
	ReasonDomain           = "DOMAIN_NOT_ALLOWED"          // PermissionDenied
	ReasonPort             = "PORT_NOT_ALLOWED"            // PermissionDenied
	ReasonAddressBlocked   = netguard.ReasonAddressBlocked // PermissionDenied
	ReasonTooManyRedirects = "TOO_MANY_REDIRECTS"          // FailedPrecondition
	ReasonDNS              = "DNS_ERROR"                   // Unavailable
	ReasonTLS              = "TLS_ERROR"                   // Unavailable
	ReasonNetwork          = "NETWORK_ERROR"               // Unavailable
	ReasonRead             = "READ_ERROR"                  // Unavailable
	ReasonHeaders          = "HEADERS_INVALID"             // InvalidArgument
	ReasonTimeout          = "FETCH_TIMEOUT"               // DeadlineExceeded
	ReasonStatus           = "HTTP_STATUS"                 // NotFound, Unavailable or FailedPrecondition
	ReasonTooLarge         = "BODY_TOO_LARGE"              // FailedPrecondition
	ReasonEncoding         = "CONTENT_ENCODING_INVALID"    // FailedPrecondition
	ReasonContentType      = "CONTENT_TYPE_NOT_SUPPORTED"  // FailedPrecondition
	ReasonTooComplex       = "DOCUMENT_TOO_COMPLEX"        // FailedPrecondition
	ReasonParsing          = "DOCUMENT_INVALID"            // FailedPrecondition
	ReasonSelector         = "SELECTOR_INVALID"            // InvalidArgument
	ReasonNoMatch          = "NO_MATCH"                    // NotFound
	ReasonContentChanged   = "CONTENT_CHANGED"             // Conflict
	ReasonRobots           = "ROBOTS_DISALLOWED"           // PermissionDenied
	ReasonRateLimited      = "RATE_LIMITED"                // ResourceExhausted
	ReasonAuth             = "CREDENTIAL_REFUSED"          // InvalidArgument, Unauthenticated or PermissionDenied
	ReasonRender           = "RENDER_FAILED"               // FailedPrecondition or Unavailable
	ReasonBackend          = "MARKDOWN_SERVICE_FAILED"     // Unavailable or FailedPrecondition
	ReasonDisabled         = "FETCHING_DISABLED"           // FailedPrecondition
)

var codes = map[string]Code{
	ReasonRequestInvalid: CodeInvalidArgument, ReasonURLInvalid: CodeInvalidURL, ReasonScheme: CodeScheme, ReasonDomain: CodeDomain, ReasonPort: CodePort,
	ReasonAddressBlocked: CodeSSRF, ReasonTooManyRedirects: CodeRedirects, ReasonDNS: CodeDNS,
	ReasonTLS: CodeTLS, ReasonNetwork: CodeNetwork, ReasonRead: CodeRead, ReasonHeaders: CodeRequest, ReasonTimeout: CodeTimeout,
	ReasonStatus: CodeStatus, ReasonTooLarge: CodeTooLarge, ReasonEncoding: CodeDecompression, ReasonContentType: CodeContentType,
	ReasonTooComplex: CodeParsing, ReasonParsing: CodeParsing, ReasonSelector: CodeSelector, ReasonNoMatch: CodeNoMatch,
	ReasonContentChanged: CodeContentChanged, ReasonRobots: CodeRobots, ReasonRateLimited: CodeRateLimited, ReasonAuth: CodeAuth,
	ReasonRender: CodeRender, ReasonBackend: CodeBackend, ReasonDisabled: CodeDisabled,
}

// CodeOf returns the code of an error of this package, or "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if errors.Is(err, context.Canceled) {
		return CodeCanceled
	}
	if code, ok := codes[fault.ReasonOf(err)]; ok {
		return code
	}
	return CodeInternal
}

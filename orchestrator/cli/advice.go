package cli

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// advice returns what to do, where the server cannot know it.
func advice(e *fault.Error) string {
	if e.RetryAfter > 0 {
		return "again in " + max(e.RetryAfter.Round(time.Second), time.Second).String()
	}
	switch e.Reason {
	case netguard.ReasonAddressBlocked:
		if e.Metadata[netguard.MetadataNever] != "" || e.Metadata["url"] != "" { // nobody can allow it; or it is a page's, and agents.allowOrigins is for agents
			return ""
		}
	case "CARD_INVALID":
		if len(e.Violations) == 1 && e.Violations[0].Field == "card.name" {
			return "--name NAME, which leaves the card unchanged"
		}
	case "SERVER_UNREACHABLE":
		return cmp.Or(reach(e), refusal(e))
	case "ROUTE_NOT_FOUND":
		if strings.Contains(e.Message, "/v1/v1/") {
			return withoutVersion
		}
		return "another --server: this one does not offer it (pages and domains are with quorate dev and with webfetch --api-addr)"
	}
	if todo, ok := remedies[e.Reason]; ok {
		return todo
	}
	switch e.Kind {
	case fault.Unauthenticated:
		return "a valid token, with --token-file FILE, QUORATE_TOKEN_FILE or QUORATE_TOKEN; quorate dev prints where its token is"
	case fault.Conflict:
		return "reading it again, then repeating the change"
	default:
		return ""
	}
}

const withoutVersion = "--server without /v1, which each call has itself"

// remedies are what to do about an error, by its reason.
var remedies = map[string]string{
	"AGENT_EXISTS":       "the same with --replace, to give it this card",
	"AGENT_NOT_FOUND":    "quorate agents list",
	"SKILL_NOT_FOUND":    "quorate skills find",
	"TASK_NOT_FOUND":     "quorate tasks list",
	"ADDRESS_BLOCKED":    "agents.allowOrigins: [HOST:PORT] in the server's configuration, for an agent on a private address",
	"DOMAIN_NOT_ALLOWED": "quorate domains add HOST, if you trust it",
	"INPUT_MISSING":      "--input NAME=VALUE for each; quorate agents get AGENT shows what it takes",
}

// reach returns what to do about a connection that failed.
func reach(e error) string {
	_, inClear := errors.AsType[tls.RecordHeaderError](e)
	op, network := errors.AsType[*net.OpError](e)
	distrust := mistrust(e)
	switch {
	case network && op.Op == "proxyconnect":
		return "a proxy that answers in HTTP_PROXY or HTTPS_PROXY, or NO_PROXY with the server's name"
	case distrust != "":
		return distrust
	case inClear || errors.Is(e, http.ErrSchemeMismatch):
		return "http:// in --server, if the server is meant to have no TLS"
	case network && op.Op == "remote error": // crypto/tls says so when the server has aborted the handshake
		return "--cert-file and --key-file with what the server accepts, if it asks for a certificate"
	case strings.Contains(e.Error(), `malformed HTTP response "\x00\x00`), // the first frame of HTTP/2, which begins with its length
		strings.Contains(e.Error(), "readLoopPeekFailLocked: %!w(<nil>)"): // net/http's words when that frame is there before the request
		return "the port of HTTP in --server: this one seems to be that of gRPC"
	case network && op.Op == "dial" && isLoopback(op.Addr):
		return "quorate dev, which starts a server on this machine"
	case network && op.Op == "dial":
		return "another --server, or a look at why this one is not reached from this machine"
	default:
		return ""
	}
}

// mistrust returns what to do about a server's certificate that was not accepted.
func mistrust(e error) string {
	_, stranger := errors.AsType[x509.UnknownAuthorityError](e)
	_, misnamed := errors.AsType[x509.HostnameError](e)
	unfit, invalid := errors.AsType[x509.CertificateInvalidError](e)
	switch {
	case stranger:
		return "--ca-file FILE with the authority of the server's certificate, if you trust it"
	case misnamed:
		return "a --server that the server's certificate names"
	case invalid && unfit.Reason == x509.Expired:
		return "a new certificate for the server, or the right time on this machine"
	case invalid && unfit.Reason == x509.IncompatibleUsage:
		return "a certificate for the server whose extended key usage has serverAuth"
	default:
		return ""
	}
}

// refusal returns what to do about a connection that broke after the server had asked for a certificate. In TLS 1.3 we may write before it refuses ours, and
// then miss that it does: this is a guess, from which nobody may conclude that nothing was sent.
func refusal(e error) string {
	if _, was := errors.AsType[*askedError](e); was {
		return "--cert-file and --key-file with what the server accepts: it asks for a certificate"
	}
	return ""
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

package kit

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// Handler does one task. If it returns a fault, the task fails with the fault's reason and message; any other error fails it with a generic text. A
// task without artifact and error completes with the text of its last progress. The context ends when the task is canceled or the agent stops: then a
// Handler that returns nil within two seconds has done its task, and what others worked on is sent again.
type Handler func(ctx context.Context, t *Task) error

// Skill is one skill on the agent's card.
type Skill struct {
	ID          string
	Name        string
	Description string
	Tags        []string
	Examples    []string
}

// Config describes an agent and what it does. Name, Description, Version and Listener are required, a Handler or a Reviewer, and with a Server the
// Token.
type Config struct {
	Name          string // letters, digits and hyphens, 1 to 64 characters
	Description   string
	Version       string // a semantic version such as 1.2.0
	Skills        []Skill
	Metadata      *registryv1.AgentMetadata // part of the card, from which Quorate takes it once, when it registers the agent; may be nil
	Listener      net.Listener              // the agent closes it
	PublicURL     string                    // how others reach the listener, such as https://agents.example.com/fetch; default: its address. On loopback, other names are refused
	Server        string                    // Quorate's HTTP base URL; empty serves without joining Quorate
	Token         auth.Secret               // the agent's own credential for Server; without https, others can read it on the way
	TLS           *tls.Config               // for connections to Server, such as with a certificate, if it asks for one; nil: Go's defaults
	Handler       Handler                   // nil: the agent takes consultations only
	Reviewer      Reviewer                  // nil: consultations are answered with the outcome error
	Sign          Signer                    // signs verdicts, which makes them evidence of level C3; nil: they are not signed
	Logger        *slog.Logger              // nil discards
	MaxConcurrent int                       // tasks at a time; 0 means 64. Further tasks wait

	// Callers returns the token that all callers must send as a bearer token (RFC 6750), over each binding and for whatever Wrap answers; only the
	// card is public. It is called for each request, so the token may change; an empty token admits nobody. If Callers is nil, anybody who can reach
	// the agent may call it.
	Callers func() auth.Secret

	// Wrap, if not nil, gets every HTTP request except those of gRPC first. It may answer some itself, for another protocol, and passes the others
	// on. Body limits apply, and cross-origin requests of browsers are refused, before Wrap is called.
	Wrap func(next http.Handler) http.Handler
}

func (c Config) validate() error {
	switch {
	case c.Name == "" || c.Description == "" || c.Version == "":
		return fault.Invalid("name", "AGENT_CONFIG_INVALID", "an agent needs a name, a description and a version")
	case c.Listener == nil:
		return fault.Invalid("listener", "AGENT_CONFIG_INVALID", "agent %s needs a listener", c.Name)
	case c.Handler == nil && c.Reviewer == nil:
		return fault.Invalid("handler", "AGENT_CONFIG_INVALID", "agent %s needs a handler or a reviewer", c.Name)
	case c.Server != "" && c.Token == "":
		return fault.Invalid("token", "AGENT_CONFIG_INVALID", "agent %s needs a token to join %s; quorate agents token and quorate keys new make one", c.Name, c.Server)
	}
	return nil
}

// publicURL returns PublicURL without a trailing slash, or the URL of the listener.
func (c Config) publicURL() (*url.URL, error) {
	if c.PublicURL != "" {
		u, err := url.Parse(strings.TrimRight(c.PublicURL, "/"))
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, fault.Invalid("public_url", "AGENT_CONFIG_INVALID", "the public URL of agent %s must look like http://host:port", c.Name)
		}
		return u, nil
	}
	host, port, err := net.SplitHostPort(c.Listener.Addr().String())
	if err != nil {
		return nil, fmt.Errorf("reading the listener's address: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1" // a wildcard address cannot be called; other machines need PublicURL
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}, nil
}

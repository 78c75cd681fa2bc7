package kit

import (
	"context"
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

// Handler does one task. A fault it returns fails the task with its reason and message, any other error with a generic
// text. A task with no artifact and no error completes with the text of its last progress. The context ends when the task
// is canceled or the agent stops.
type Handler func(ctx context.Context, t *Task) error

// Skill is one skill on the agent's card.
type Skill struct {
	ID          string
	Name        string
	Description string
	Tags        []string
	Examples    []string
}

// Config says who an agent is and what it does. Name, Description, Version, Listener and a Handler or a Reviewer are
// required.
type Config struct {
	Name          string // letters, digits and hyphens, 1 to 64 characters
	Description   string
	Version       string // a semantic version such as 1.2.0
	Skills        []Skill
	Metadata      *registryv1.AgentMetadata // put on the card, so that registration carries it; may be nil
	Listener      net.Listener              // the agent closes it
	PublicURL     string                    // how others reach the listener, such as https://agents.example.com/fetch; default: its address
	Server        string                    // Quorate's HTTP base URL; empty serves without joining
	Token         auth.Secret               // the agent's own credential at Server
	Handler       Handler                   // nil: the agent takes consultations only
	Reviewer      Reviewer                  // nil: consultations are answered with the outcome error
	Sign          Signer                    // signs what Reviewer says, so that it counts wherever it is found; nil: it is not signed
	Logger        *slog.Logger              // nil discards
	MaxConcurrent int                       // tasks worked on at a time; 0 means 64. More wait for their turn.

	// Callers returns the token that every caller has to show as a bearer (RFC 6750), over each binding and whatever Wrap answers; only the card is for
	// everybody. It is asked for each request, so that the token may be renewed; an empty one lets nobody in. Nil: whoever reaches the agent may call it.
	Callers func() auth.Secret

	// Wrap, when not nil, is asked first for every HTTP request but the gRPC ones: it may answer a dialect of its own and passes
	// the rest on. Bodies are bounded and requests from pages in a browser refused before it.
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
	}
	return nil
}

// publicURL returns PublicURL without a slash at its end, or the URL of the listener.
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
		host = "127.0.0.1" // a wildcard is no address to call; set PublicURL for other machines
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}, nil
}

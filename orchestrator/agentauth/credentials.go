package agentauth

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/quorate/quorate/platform/netguard"
)

// Config says where the credentials are.
type Config struct {
	File    string           // YAML or JSON; empty: there are none
	Setting string           // what the operator calls File, for messages
	Policy  *netguard.Policy // which addresses agents may have; required with a file
	Logger  *slog.Logger     // required with a file
}

// Credentials are those of a file, as it is now while Run runs. Nil has none. It is safe for concurrent use.
type Credentials struct {
	config Config
	now    atomic.Pointer[list]
}

// origin is where a credential goes; the host has no upper case.
type origin struct{ scheme, host string }

// Open reads the file and every secret that it names. The error, an InvalidArgument fault with the reason CREDENTIALS_INVALID, names each entry and field
// that is wrong, and shows no value of the file: it may be a secret that was put there by mistake.
func Open(c Config) (*Credentials, error) {
	all := &Credentials{config: c}
	first := &list{}
	if c.File != "" {
		var err error
		if first, err = c.read(first); err != nil {
			return nil, err
		}
	}
	all.now.Store(first)
	return all, nil
}

// For returns the credential for requests to a URL, or nil.
func (c *Credentials) For(u *url.URL) *Credential {
	if c == nil {
		return nil
	}
	origins := c.now.Load().origins
	if len(origins) == 0 {
		return nil
	}
	return origins[origin{u.Scheme, strings.ToLower(u.Host)}]
}

// Client returns an HTTP client that is as the given one, which has to be guarded, and shows the credentials.
func (c *Credentials) Client(client *http.Client) *http.Client {
	if c == nil || c.config.File == "" {
		return client
	}
	with := *client
	with.Transport = &transport{credentials: c, next: client.Transport}
	return &with
}

// Close closes connections of our own that wait for a next request: those to token endpoints, and those with client certificates.
func (c *Credentials) Close() error {
	if c != nil {
		c.now.Load().closeBut(&list{})
	}
	return nil
}

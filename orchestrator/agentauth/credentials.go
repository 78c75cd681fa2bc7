package agentauth

import (
	"crypto/x509"
	"iter"
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
	Setting string           // the operator's name for File, for messages
	Policy  *netguard.Policy // which addresses agents may be at; required with a file
	Logger  *slog.Logger     // required with a file
}

// Credentials are those in a file, kept up to date while Run runs. A nil Credentials has none. It is safe for concurrent use.
type Credentials struct {
	config Config
	now    atomic.Pointer[list]
}

// origin is where a credential is sent. The host is in lower case.
type origin struct{ scheme, host string }

// Open reads the file and every secret to which it refers. The error, an InvalidArgument fault with the reason CREDENTIALS_INVALID, names each wrong
// entry and field, but shows no value of the file, which may be a secret that was put there by mistake.
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

// Client returns a copy of an HTTP client, which must be guarded, that also sends the credentials.
func (c *Credentials) Client(client *http.Client) *http.Client {
	if c == nil || c.config.File == "" {
		return client
	}
	with := *client
	with.Transport = &transport{credentials: c, next: client.Transport}
	return &with
}

// Certificates yields the client certificates, each with the origin that it is for, in the order of the file.
func (c *Credentials) Certificates() iter.Seq2[string, *x509.Certificate] {
	return func(yield func(string, *x509.Certificate) bool) {
		for _, m := range c.now.Load().made {
			if m.credential.tls == nil {
				continue
			}
			pair, err := m.credential.tls.GetClientCertificate(nil)
			if err == nil && !yield(m.credential.origin.String(), pair.Leaf) {
				return
			}
		}
	}
}

// Close closes idle connections to token endpoints, and those with client certificates.
func (c *Credentials) Close() error {
	if c != nil {
		c.now.Load().closeBut(&list{})
	}
	return nil
}

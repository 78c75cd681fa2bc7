package agentauth

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

// Config says where the credentials are.
type Config struct {
	File    string           // YAML or JSON; empty: there are none
	Setting string           // what the operator calls File, for messages
	Policy  *netguard.Policy // which addresses agents may have; required with a file
	Logger  *slog.Logger     // required with a file
}

// Credentials are those of a file. Nil has none. It is safe for concurrent use.
type Credentials struct {
	setting string
	file    string
	origins map[origin]*Credential // each under its host with and without the port, where that is the usual one
}

// origin is where a credential goes; the host has no upper case.
type origin struct{ scheme, host string }

// Open reads the file and every secret that it names. The error, an InvalidArgument fault with the reason CREDENTIALS_INVALID, names each entry and field
// that is wrong, and shows no value of the file: it may be a secret that was put there by mistake.
func Open(c Config) (*Credentials, error) {
	all := &Credentials{setting: c.Setting, file: c.File, origins: make(map[origin]*Credential)}
	if c.File == "" {
		return all, nil
	}
	entries, err := readFile(c.File)
	var problems []string
	if err != nil {
		problems = append(problems, err.Error())
	}
	for i := range entries {
		if err := entries[i].add(c, all.origins); err != nil {
			problems = append(problems, entries[i].problem(i, err))
		}
	}
	if len(problems) > 0 {
		_ = all.Close() // nothing was sent yet
		return nil, fault.Invalid(c.Setting, "CREDENTIALS_INVALID", "credentials for agents in %s: %s", c.File, strings.Join(problems, "; "))
	}
	return all, nil
}

// For returns the credential for requests to a URL, or nil.
func (c *Credentials) For(u *url.URL) *Credential {
	if c == nil || len(c.origins) == 0 {
		return nil
	}
	return c.origins[origin{u.Scheme, strings.ToLower(u.Host)}]
}

// Client returns an HTTP client that is as the given one, which has to be guarded, and shows the credentials.
func (c *Credentials) Client(client *http.Client) *http.Client {
	if c == nil || len(c.origins) == 0 {
		return client
	}
	with := *client
	with.Transport = &transport{credentials: c, next: client.Transport}
	return &with
}

// Close closes connections of our own that wait for a next request: those to token endpoints, and those with client certificates.
func (c *Credentials) Close() error {
	if c == nil {
		return nil
	}
	for _, x := range c.origins {
		if x.own != nil {
			x.own.CloseIdleConnections()
		}
	}
	return nil
}

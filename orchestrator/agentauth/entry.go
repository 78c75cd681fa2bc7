package agentauth

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/netguard"
)

// String returns the origin as the operator writes it.
func (o origin) String() string { return o.scheme + "://" + o.host }

// where returns the origin, and the ways in which URLs may spell its host and port.
func (e *entry) where() (o origin, hosts []string, err error) {
	u, err := url.Parse(e.Origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") || u.String() != u.Scheme+"://"+u.Host {
		return o, nil, errors.New("origin: want a scheme, a host, and a port unless it is the usual one, such as https://agents.example.com:8443")
	}
	o = origin{u.Scheme, strings.ToLower(u.Host)}
	usual := ":" + map[string]string{"http": "80", "https": "443"}[u.Scheme]
	switch ":" + u.Port() {
	case usual:
		return o, []string{o.host, strings.TrimSuffix(o.host, usual)}, nil
	case ":":
		return o, []string{o.host, o.host + usual}, nil
	default:
		return o, []string{o.host}, nil
	}
}

// clear refuses what would go in the clear over a network, unless the operator wants that; then it is said.
func (e *entry) clear(c Config, o origin) error {
	places := []string{o.String()}
	if e.OAuth2 != nil {
		places = append(places, e.OAuth2.TokenURL)
	}
	places = slices.DeleteFunc(places, netguard.IsPrivateURL)
	switch {
	case len(places) > 0 && !e.Insecure:
		return fmt.Errorf("%s is not https and not on this machine: who is on the way could read the credential; use https, or set insecure: true", places[0])
	case len(places) == 0 && e.Insecure:
		return errors.New("insecure: nothing goes in the clear here; take it away")
	case e.Insecure:
		c.Logger.Warn("a credential goes over the network in the clear", slog.String("origin", o.String()))
	}
	return nil
}

package agentauth

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/quorate/quorate/registry/agentcard"
)

const redacted = "[redacted]"

// Advice explains which credential an agent at a URL was sent and what an operator can do, as the end of a sentence about the agent rejecting
// Quorate. schemes are those of the agent's card; nil when unknown.
func (c *Credentials) Advice(u *url.URL, schemes []agentcard.SecurityScheme) string {
	asked := wanted(schemes)
	at := origin{u.Scheme, strings.ToLower(u.Host)}
	var say strings.Builder
	switch x := c.For(u); {
	case x != nil && asked != nil && !slices.ContainsFunc(asked, x.fits):
		fmt.Fprintf(&say, "Quorate showed it the %s of %s for %s, but its card asks for %s", x, c.config.Setting, at, describe(asked))
		return say.String()
	case x != nil:
		fmt.Fprintf(&say, "Quorate showed it the %s of %s for %s, which may be wrong or not be allowed this", x, c.config.Setting, at)
	case c == nil || c.config.Setting == "":
		return "Quorate showed it no credential"
	case c.config.File == "":
		fmt.Fprintf(&say, "Quorate showed it no credential: an operator can name a file with one for %s in %s", at, c.config.Setting)
	default:
		fmt.Fprintf(&say, "Quorate showed it no credential: the file of %s has no entry for %s", c.config.Setting, at)
	}
	if asked != nil {
		fmt.Fprintf(&say, "; its card asks for %s", describe(asked))
	}
	return say.String()
}

// Denied returns the Advice for an HTTP answer.
func (c *Credentials) Denied(resp *http.Response) string {
	if redirected(resp.Request) {
		return "Quorate showed it no credential, for it was led there by another origin"
	}
	return c.Advice(resp.Request.URL, nil)
}

// wanted returns the schemes that a card requires or, when it does not say, all of its schemes.
func wanted(schemes []agentcard.SecurityScheme) (list []agentcard.SecurityScheme) {
	for _, s := range schemes {
		if s.Required {
			list = append(list, s)
		}
	}
	if list == nil {
		return schemes
	}
	return list
}

// fits reports whether a credential is of the kind that a scheme describes, as far as that can be told.
func (c *Credential) fits(s agentcard.SecurityScheme) bool {
	switch s.Kind {
	case agentcard.SecurityHTTP:
		return c.scheme == s.Scheme
	case agentcard.SecurityOAuth2, agentcard.SecurityOpenIDConnect:
		return c.scheme == "bearer"
	case agentcard.SecurityAPIKey:
		return c.in == s.In && (c.name == s.Parameter || c.in == inHeader && strings.EqualFold(c.name, s.Parameter))
	case agentcard.SecurityMutualTLS:
		return c.HasCertificate()
	default:
		return true
	}
}

// describe lists schemes in the terms of their card.
func describe(schemes []agentcard.SecurityScheme) string {
	var list []string
	for _, s := range schemes {
		switch s.Kind {
		case agentcard.SecurityHTTP:
			list = append(list, fmt.Sprintf("%q (http %q)", s.Name, s.Scheme))
		case agentcard.SecurityAPIKey:
			list = append(list, fmt.Sprintf("%q (apiKey in %q, named %q)", s.Name, s.In, s.Parameter))
		case "":
			list = append(list, fmt.Sprintf("%q (of a kind that Quorate does not know)", s.Name))
		default:
			list = append(list, fmt.Sprintf("%q (%s)", s.Name, s.Kind))
		}
	}
	return strings.Join(list, ", ")
}

// Redact removes the secret that was sent last from a text of the agent, which goes into errors.
func (c *Credential) Redact(text string) string {
	if c == nil || c.shown.Load() == nil {
		return text
	}
	secret := c.shown.Load().Reveal()
	form := c.form(secret)
	return strings.NewReplacer(form, redacted, strings.TrimPrefix(form, "Basic "), redacted, url.QueryEscape(form), redacted, secret, redacted).Replace(text)
}

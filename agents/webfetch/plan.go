package webfetch

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// Limits of a request's own headers and short texts.
const (
	maxHeaders     = 32
	maxHeaderBytes = 8 << 10 // of all names and values together
	maxExpression  = 4 << 10 // of a selector
	maxName        = 128     // of a session or a credential
)

// plan is a request with all defaults filled in.
type plan struct {
	Request

	profile  Profile
	limits   Limits
	format   Format
	engine   Engine
	language string
}

// plan fills in the defaults of req. Even with an error, the plan says how to report it.
func (f *Fetcher) plan(req Request) (plan, error) {
	p := plan{Request: req, profile: f.profile}
	if req.Profile != "" {
		named, err := ProfileNamed(req.Profile)
		if err != nil {
			p.language = pickLanguage(req.Language, p.profile.Language)
			return p, err
		}
		p.profile = named
	}
	p.language = pickLanguage(req.Language, p.profile.Language)
	p.Tenant = cmp.Or(req.Tenant, auth.DefaultTenant)
	p.engine = cmp.Or(req.Engine, p.profile.Engine)
	if err := p.decideFormat(); err != nil {
		return p, err
	}
	asked := Limits{Timeout: req.Timeout, MaxSize: req.MaxSize, MaxCharacters: req.MaxCharacters}
	if p.profile.clamp {
		asked = Limits{max(asked.Timeout, 0), max(asked.MaxSize, 0), max(asked.MaxCharacters, 0)}.within(p.profile.most)
	} else if err := asked.check(p.profile.most); err != nil {
		return p, err
	}
	p.limits = asked.or(p.profile.Limits)
	return p, p.check()
}

func (p *plan) decideFormat() error {
	p.format = Format(strings.ToLower(string(cmp.Or(p.Format, p.profile.Format))))
	err := p.format.Check()
	if err != nil && p.profile.lenient {
		p.format, err = p.profile.Format, nil
	}
	return err
}

// check returns a fault if a field without a limit in Limits is out of bounds.
func (p *plan) check() error {
	expressions := slices.DeleteFunc([]string{p.Selector, p.XPath, p.JSONPath}, func(s string) bool { return s == "" })
	switch {
	case p.StartIndex < 0 || p.StartIndex > MaxMaxSize:
		return fault.Invalid("start_index", ReasonRequestInvalid, "start_index must be from 0 to %d", MaxMaxSize)
	case len(expressions) > 1:
		return fault.Invalid("selector", ReasonRequestInvalid, "give one of selector, xpath and json_path, not several")
	case len(expressions) == 1 && len(expressions[0]) > maxExpression:
		return fault.Invalid("selector", ReasonRequestInvalid, "a selector has at most %d bytes", maxExpression)
	case !slices.Contains([]Render{"", RenderNever, RenderAuto, RenderAlways}, p.Render):
		return fault.Invalid("render", ReasonRequestInvalid, "render must be auto, never or always")
	case p.engine != EngineHTTP && p.engine != EngineRemote:
		return fault.Invalid("engine", ReasonRequestInvalid, "engine must be http or remote")
	case len(p.Session) > maxName || len(p.Credential) > maxName:
		return fault.Invalid("session", ReasonRequestInvalid, "the names of a session and of a credential have at most %d bytes", maxName)
	}
	return p.checkHeaders()
}

// reservedHeaders may not be set by requests: they belong to the connection, or choose the encoding of the body.
var reservedHeaders = []string{
	"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate", "proxy-authorization",
	"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "range", "if-range",
}

func (p *plan) checkHeaders() error {
	bytes := 0
	for name, value := range p.Headers {
		bytes += len(name) + len(value)
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return fault.Invalid("headers", ReasonHeaders, "the header %q is not valid", bounded.Characters(name, 40))
		}
		if slices.Contains(reservedHeaders, strings.ToLower(name)) {
			return fault.Invalid("headers", ReasonHeaders, "the header %s may not be set", name)
		}
	}
	if len(p.Headers) > maxHeaders || bytes > maxHeaderBytes {
		return fault.Invalid("headers", ReasonHeaders, "a request has at most %d headers of %d bytes together", maxHeaders, maxHeaderBytes)
	}
	return nil
}

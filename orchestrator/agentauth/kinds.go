package agentauth

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// bearer is a constant token (RFC 6750).
type bearer struct {
	Token string `yaml:"token"`
}

func (b *bearer) credential(c Config) (*Credential, error) {
	s, err := openReference(c, b.Token)
	if err != nil {
		return nil, fmt.Errorf("bearer.token: %w", err)
	}
	return &Credential{kind: kindBearer, scheme: "bearer", in: inHeader, name: "Authorization", form: asBearer, source: s}, nil
}

func asBearer(token string) string { return "Bearer " + token }

// basic is a name and a password (RFC 7617).
type basic struct {
	Username string `yaml:"username"`
	Password string `yaml:"password"`
}

func (b *basic) credential(c Config) (*Credential, error) {
	if !sendable(b.Username) || strings.Contains(b.Username, ":") {
		return nil, errors.New("basic.username: want one of visible characters without a colon")
	}
	s, err := openReference(c, b.Password)
	if err != nil {
		return nil, fmt.Errorf("basic.password: %w", err)
	}
	form := func(password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(b.Username+":"+password))
	}
	return &Credential{kind: kindBasic, scheme: "basic", in: inHeader, name: "Authorization", form: form, source: s}, nil
}

// apiKey is a key in a place that the agent determines.
type apiKey struct {
	In    string `yaml:"in"` // header, query or cookie
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

// taken are headers with another meaning.
var taken = []string{
	"accept", "a2a-version", "a2a-extensions", "connection", "content-encoding", "content-length", "content-type", "cookie", "expect", "host", "keep-alive", "te",
	"traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent",
}

func (a *apiKey) credential(c Config) (*Credential, error) {
	switch {
	case a.In != inHeader && a.In != inQuery && a.In != inCookie:
		return nil, errors.New("apiKey.in: want header, query or cookie")
	case a.Name == "" || strings.IndexFunc(a.Name, notToken) >= 0:
		return nil, errors.New("apiKey.name: want one of letters, digits, hyphens and underscores")
	case a.In == inHeader && (slices.Contains(taken, strings.ToLower(a.Name)) || strings.HasPrefix(strings.ToLower(a.Name), "grpc-")):
		return nil, errors.New("apiKey.name: this header says something else")
	}
	s, err := openReference(c, a.Value)
	if err != nil {
		return nil, fmt.Errorf("apiKey.value: %w", err)
	}
	form := func(key string) string { return key }
	if a.In == inCookie {
		form = cookieValue
	}
	return &Credential{kind: kindAPIKey, in: a.In, name: a.Name, form: form, source: s}, nil
}

func notToken(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' && r != '.'
}

// cookieValue escapes characters that would end a cookie (RFC 6265 §4.1.1).
var cookieValue = strings.NewReplacer(";", "%3B", ",", "%2C", " ", "%20", `"`, "%22", `\`, "%5C").Replace

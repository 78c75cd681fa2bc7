package agentauth_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator/agentauth"
	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/registry/agentcard"
)

var atA = &url.URL{Scheme: "https", Host: "a.example"}

func TestAdviceSaysWhetherTheCredentialIsWhatTheCardAsksFor(t *testing.T) {
	t.Parallel()
	secret, pair := write(t, canary), certtest.NewAuthority(t).Issue(t, "quorate")
	entries := map[string]string{
		"none":      "",
		"bearer":    "bearer: {token: 'file:" + secret + "'}",
		"basic":     "basic: {username: u, password: 'file:" + secret + "'}",
		"apiKey":    "apiKey: {in: header, name: X-Key, value: 'file:" + secret + "'}",
		"query":     "apiKey: {in: query, name: k, value: 'file:" + secret + "'}",
		"mutualTLS": fmt.Sprintf("mutualTLS: {certFile: %s, keyFile: %s}", pair.CertFile, pair.KeyFile),
	}
	entries["bearer and mutualTLS"] = entries["bearer"] + ", " + entries["mutualTLS"]
	scheme := func(scheme string) agentcard.SecurityScheme {
		return agentcard.SecurityScheme{Name: "s", Kind: agentcard.SecurityHTTP, Scheme: scheme}
	}
	key := func(in, name string) agentcard.SecurityScheme {
		return agentcard.SecurityScheme{Name: "s", Kind: agentcard.SecurityAPIKey, In: in, Parameter: name}
	}
	kind := func(kind string) agentcard.SecurityScheme { return agentcard.SecurityScheme{Name: "s", Kind: kind} }
	for _, test := range []struct {
		has  string
		asks agentcard.SecurityScheme
		fits bool
		text string // of what the card asks for
	}{
		{"bearer", scheme("bearer"), true, `"s" (http "bearer")`},
		{"bearer", scheme("basic"), false, `"s" (http "basic")`},
		{"basic", scheme("basic"), true, `"s" (http "basic")`},
		{"bearer", kind(agentcard.SecurityOAuth2), true, `"s" (oauth2)`},
		{"basic", kind(agentcard.SecurityOAuth2), false, `"s" (oauth2)`},
		{"bearer", kind(agentcard.SecurityOpenIDConnect), true, `"s" (openIdConnect)`},
		{"apiKey", key("header", "x-key"), true, `"s" (apiKey in "header", named "x-key")`},
		{"apiKey", key("header", "Key"), false, `"s" (apiKey in "header", named "Key")`},
		{"apiKey", key("query", "X-Key"), false, `"s" (apiKey in "query", named "X-Key")`},
		{"query", key("query", "k"), true, `"s" (apiKey in "query", named "k")`},
		{"query", key("query", "K"), false, `"s" (apiKey in "query", named "K")`},
		{"mutualTLS", kind(agentcard.SecurityMutualTLS), true, `"s" (mutualTLS)`},
		{"bearer", kind(agentcard.SecurityMutualTLS), false, `"s" (mutualTLS)`},
		{"bearer and mutualTLS", kind(agentcard.SecurityMutualTLS), true, `"s" (mutualTLS)`},
		{"bearer and mutualTLS", scheme("bearer"), true, `"s" (http "bearer")`},
		{"bearer and mutualTLS", scheme("basic"), false, `"s" (http "basic")`},
		{"bearer", kind(""), true, `"s" (of a kind that Quorate does not know)`},
	} {
		c := open(t, "credentials: [{origin: 'https://a.example', "+entries[test.has]+"}]")
		shown := strings.Replace(test.has, "query", "apiKey", 1)
		want := "Quorate showed it the " + shown + " of agents.credentialsFile for https://a.example, but its card asks for " + test.text
		if test.fits {
			want = strings.Replace(want, "but its card", "which may be wrong or not be allowed this; its card", 1)
		}
		if got := c.Advice(atA, []agentcard.SecurityScheme{test.asks}); got != want {
			t.Errorf("Advice() with %s for a card that asks for %s = %q, want %q", test.has, test.text, got, want)
		}
	}
}

func TestAdviceIsAboutWhatTheCardRequires(t *testing.T) {
	t.Parallel()
	c := open(t, "credentials: [{origin: 'https://a.example', bearer: {token: 'file:"+write(t, canary)+"'}}]")
	either := []agentcard.SecurityScheme{{Name: "b", Kind: agentcard.SecurityHTTP, Scheme: "bearer"}, {Name: "m", Kind: agentcard.SecurityMutualTLS}}
	if got := c.Advice(atA, either); !strings.HasSuffix(got, `; its card asks for "b" (http "bearer"), "m" (mutualTLS)`) {
		t.Errorf("Advice() for a card that does not say what it requires = %q, want both", got)
	}
	either[1].Required = true
	if got := c.Advice(atA, either); !strings.HasSuffix(got, `, but its card asks for "m" (mutualTLS)`) {
		t.Errorf("Advice() for a card that requires one = %q, want that one only", got)
	}
	if got := c.Advice(atA, nil); !strings.HasSuffix(got, "which may be wrong or not be allowed this") {
		t.Errorf("Advice() for a card that is not known = %q, want nothing about it", got)
	}
}

func TestAdviceSaysWhyNothingWasShown(t *testing.T) {
	t.Parallel()
	at := func(setting string) *agentauth.Credentials {
		c, err := agentauth.Open(agentauth.Config{Setting: setting})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const none = "Quorate showed it no credential"
	for want, c := range map[string]*agentauth.Credentials{
		none: nil,
		none + ": an operator can name a file with one for https://a.example in agents.credentialsFile": at("agents.credentialsFile"),
	} {
		if got := c.Advice(atA, nil); got != want {
			t.Errorf("Advice() = %q, want %q", got, want)
		}
	}
	if got := at("").Advice(atA, nil); got != none {
		t.Errorf("Advice() without a setting = %q, want %q", got, none)
	}
	led := &http.Request{URL: atA, Response: &http.Response{Request: &http.Request{URL: &url.URL{Scheme: "https", Host: "b.example"}}}}
	if got := at("s").Denied(&http.Response{Request: led}); !strings.Contains(got, "it was led there by another origin") {
		t.Errorf("Denied() after a redirect = %q, want that it was led there", got)
	}
	if got := at("s").Denied(&http.Response{Request: &http.Request{URL: atA}}); !strings.Contains(got, "an operator can name a file") {
		t.Errorf("Denied() = %q, want what an operator can do", got)
	}
}

func TestATextHasNoSecretThatWasShown(t *testing.T) {
	t.Parallel()
	file, pair := write(t, canary), certtest.NewAuthority(t).Issue(t, "quorate")
	c := open(t, "credentials: [{origin: 'https://a.example', bearer: {token: 'file:"+file+"'}}, {origin: 'https://b.example', "+
		fmt.Sprintf("mutualTLS: {certFile: %s, keyFile: %s}}]", pair.CertFile, pair.KeyFile))
	x := c.For(atA)
	if got := x.Redact("a text"); got != "a text" {
		t.Errorf("Redact() before anything was shown = %q, want the text", got)
	}
	for _, secret := range []string{canary, "r3newed"} {
		rewrite(t, file, secret)
		x.Refused(time.Time{}) // so that the file is read again
		if _, value, err := x.Metadata(t.Context()); err != nil || value != "Bearer "+secret {
			t.Fatalf("Metadata() = %q, %v, want the secret %s", value, err, secret)
		}
		if got := x.Redact("not " + secret + " nor Bearer " + secret); got != "not [redacted] nor [redacted]" {
			t.Errorf("Redact() = %q, want no secret", got)
		}
	}
	cert := c.For(&url.URL{Scheme: "https", Host: "b.example"})
	if key, value, err := cert.Metadata(t.Context()); key != "" || value != "" || err != nil || cert.Refused(time.Now()) || cert.Redact("a text") != "a text" {
		t.Errorf("Metadata() of a certificate = %q, %q, %v, want nothing, nothing newer, and nothing to redact", key, value, err)
	}
	if !cert.HasCertificate() || x.HasCertificate() {
		t.Error("HasCertificate() is wrong, want it of the certificate only")
	}
}

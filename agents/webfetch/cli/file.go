package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
)

// file is the configuration file. Its part tools.web_fetch is exactly that of document 003.
type file struct {
	Profile       string                `yaml:"profile"`
	Allowlist     string                `yaml:"allowlist"`
	Allow         []string              `yaml:"allow"`
	AllowInternal []string              `yaml:"allow_internal"`
	UserAgent     string                `yaml:"user_agent"`
	Proxy         string                `yaml:"proxy"`
	Credentials   map[string]credential `yaml:"credentials"`
	Tools         struct {
		WebFetch struct {
			Enabled          *bool  `yaml:"enabled"`
			APIEndpoint      string `yaml:"api_endpoint"`
			TimeoutSeconds   int    `yaml:"timeout_seconds"`
			MaxContentLength int    `yaml:"max_content_length"`
		} `yaml:"web_fetch"`
	} `yaml:"tools"`
}

// credential refers to its secret and never contains it.
type credential struct {
	Hosts     []string `yaml:"hosts"`
	AllowHTTP bool     `yaml:"allow_http"`
	Bearer    *secret  `yaml:"bearer"`
	Basic     *struct {
		Username string `yaml:"username"`
		Password secret `yaml:"password"`
	} `yaml:"basic"`
	OAuth *struct {
		TokenURL     string   `yaml:"token_url"`
		ClientID     string   `yaml:"client_id"`
		ClientSecret secret   `yaml:"client_secret"`
		Scopes       []string `yaml:"scopes"`
	} `yaml:"oauth"`
}

// secret is a reference: the name of an environment variable or of a file.
type secret struct {
	Env  string `yaml:"env"`
	File string `yaml:"file"`
}

// UnmarshalYAML implements yaml.Unmarshaler. Its errors do not repeat the value, which may be the secret itself.
func (s *secret) UnmarshalYAML(node *yaml.Node) error {
	type plain secret
	if node.Kind != yaml.MappingNode || node.Decode((*plain)(s)) != nil {
		return fmt.Errorf("line %d: a secret is not written here: name an environment variable {env: NAME} or a file {file: PATH}", node.Line)
	}
	return nil
}

// readFile reads the configuration file; without a name there is none.
func readFile(name string) (f file, err error) {
	if name == "" {
		return f, nil
	}
	if err := config.ReadStrict(name, &f); err != nil {
		return f, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "the configuration %s cannot be read: %w", name, err)
	}
	f.Tools.WebFetch.APIEndpoint = expand(f.Tools.WebFetch.APIEndpoint)
	return f, nil
}

var variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// expand replaces ${NAME} by environment variables.
func expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(word string) string { return config.Env(word[2 : len(word)-1]) })
}

// credentials reads the secrets to which the file refers. A missing one stops the program, which would otherwise fetch without it.
func (f *file) credentials() (map[string]webfetch.Credential, error) {
	list := make(map[string]webfetch.Credential, len(f.Credentials))
	for name, c := range f.Credentials {
		made := webfetch.Credential{Hosts: c.Hosts, AllowHTTP: c.AllowHTTP}
		var err error
		switch {
		case c.ways() != 1:
			err = errors.New("it needs one of bearer, basic and oauth")
		case c.Bearer != nil:
			made.Token, err = c.Bearer.read()
		case c.Basic != nil:
			made.Username = c.Basic.Username
			made.Password, err = c.Basic.Password.read()
		case c.OAuth != nil:
			made.OAuth = &webfetch.OAuth{TokenURL: c.OAuth.TokenURL, ClientID: c.OAuth.ClientID, Scopes: c.OAuth.Scopes}
			made.OAuth.ClientSecret, err = c.OAuth.ClientSecret.read()
		}
		if err != nil {
			return nil, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "the credential %q: %s", name, err)
		}
		list[name] = made
	}
	return list, nil
}

// ways counts how it would identify the program.
func (c *credential) ways() (n int) {
	for _, given := range []bool{c.Bearer != nil, c.Basic != nil, c.OAuth != nil} {
		if given {
			n++
		}
	}
	return n
}

func (s secret) read() (auth.Secret, error) {
	switch {
	case (s.Env == "") == (s.File == ""):
		return "", errors.New("its secret needs one of env and file")
	case s.Env != "":
		if value := config.Env(s.Env); value != "" {
			return auth.Secret(value), nil
		}
		return "", fmt.Errorf("the environment variable %s is not set", s.Env)
	}
	raw, err := bounded.File(s.File, maxTokenBytes)
	if err != nil {
		return "", err
	}
	value := strings.TrimSpace(string(raw))
	if value == "" {
		return "", fmt.Errorf("the file %s is empty", s.File)
	}
	return auth.Secret(value), nil
}

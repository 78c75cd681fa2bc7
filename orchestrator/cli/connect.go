package cli

import (
	"cmp"
	"os"
	"runtime"
	"strings"

	"github.com/quorate/quorate/orchestrator/dev"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/restclient"
)

const (
	defaultServer  = "http://127.0.0.1:8080"
	maxTokenBytes  = 4 << 10
	groupAndOthers = 0o077
)

// Environment variables that name the server and the credentials.
const (
	envServer    = "QUORATE_SERVER"
	envToken     = "QUORATE_TOKEN"      //nolint:gosec // the name of a variable
	envTokenFile = "QUORATE_TOKEN_FILE" //nolint:gosec // the name of a variable
)

// connect returns a session with the server that flags or environment name.
func (a *app) connect() (*session, error) {
	server := a.address()
	token, err := a.token(server)
	if err != nil {
		return nil, err
	}
	web, err := a.tls.client()
	if err != nil {
		return nil, err
	}
	client, err := restclient.New(server, token, web)
	if err != nil {
		return nil, err
	}
	if client.TokenInClear() {
		a.err.line("warning: the token goes to %s without encryption; use https", server)
	}
	return &session{client: client}, nil
}

// address returns the base URL of the server.
func (a *app) address() string { return cmp.Or(string(a.server), config.Env(envServer), defaultServer) }

// token returns the token from --token-file, from QUORATE_TOKEN, from the file in QUORATE_TOKEN_FILE, or that of the dev server on this machine. The
// dev server listens on loopback only, so its token is sent nowhere else.
func (a *app) token(server string) (auth.Secret, error) {
	if a.tokenFile != "" {
		return a.readToken(string(a.tokenFile))
	}
	if token := config.Env(envToken); token != "" {
		return auth.Secret(strings.TrimSpace(token)), nil
	}
	if file := config.Env(envTokenFile); file != "" {
		return a.readToken(file)
	}
	file := dev.DefaultTokenFile()
	if _, err := os.Stat(file); err != nil || !netguard.IsLoopbackURL(server) {
		return "", nil //nolint:nilerr // without a dev server there is no token to send
	}
	return a.readToken(file)
}

// readToken reads a token file, which may be a pipe, and warns when other users of this machine can read it.
func (a *app) readToken(name string) (auth.Secret, error) {
	from, end, err := a.open(name)
	if err != nil {
		return "", fault.New(fault.InvalidArgument, "TOKEN_INVALID", "reading the token file: %w", err)
	}
	defer end()
	info, err := os.Stat(name)
	if err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&groupAndOthers != 0 {
		a.err.line("warning: %s can be read by other users; chmod 600 %s", name, name)
	}
	content, err := bounded.Read(from, name, maxTokenBytes)
	if err != nil {
		return "", fault.New(fault.InvalidArgument, "TOKEN_INVALID", "reading the token file: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" {
		return "", fault.New(fault.InvalidArgument, "TOKEN_INVALID", "the token file %s is empty", name)
	}
	return auth.Secret(token), nil
}

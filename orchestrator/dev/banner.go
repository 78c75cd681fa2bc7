package dev

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/quorate/quorate/platform/terminal"
)

// banner prints where everything is, and what to try: commands that work in a shell in any folder.
func banner(w io.Writer, cfg Config, p *ports, tokenFile string) error {
	tokenFile, err := filepath.Abs(tokenFile)
	if err != nil {
		return fmt.Errorf("reading the working folder: %w", err)
	}
	site := "http://" + p.demo.Addr().String()
	connect := ""
	if p.http.Addr().String() != DefaultConfig().HTTP.Addr {
		connect += " --server http://" + p.http.Addr().String()
	}
	if cfg.Store.DataDir != defaultDataDir() {
		connect += " --token-file " + quote(tokenFile)
	}
	if _, err := fmt.Fprint(w, "quorate dev is ready: development mode, loopback only, one shared token\n\n"); err != nil {
		return err
	}
	if err := terminal.Table(w, "  ", [][]string{
		{"Console", "http://" + p.http.Addr().String(), "asks for what is in the token file"},
		{"REST", "http://" + p.http.Addr().String() + "/v1", "described at /openapi.json"},
		{"gRPC", p.grpc.Addr().String(), "with reflection and health"},
		{"OTLP", "http://" + p.http.Addr().String() + "/v1/traces", "and gRPC on " + p.grpc.Addr().String()},
		{"web-fetch", "http://" + p.webfetch.Addr().String(), "the agent, spoken to over A2A; MCP at /mcp"},
		{"Demo site", site, "the one site that web-fetch may read"},
		{"Data", filepath.Dir(tokenFile)},
		{"Token file", tokenFile},
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `
Try
  http://%[3]s in a browser, with the key that this prints: cat %[4]s
  %[5]s agents list%[1]s
  %[5]s tasks submit%[1]s --agent web-fetch --text "Fetch %[2]s/article" --watch

Ctrl-C stops it; the next start on the same data goes on where this one ended.
`, connect, site, p.http.Addr(), quote(tokenFile), program())
	return err
}

// program returns what to call this program in a shell: its name, where PATH leads to it.
func program() string {
	const name = "quorate"
	self, err := os.Executable()
	if err != nil {
		return name
	}
	if found, err := exec.LookPath(name); err == nil && sameFile(found, self) {
		return name
	}
	return quote(self)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// quote writes a path as one word of a shell.
func quote(path string) string {
	if plain.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

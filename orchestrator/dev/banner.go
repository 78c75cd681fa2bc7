package dev

import (
	"fmt"
	"io"
)

// banner says where everything is and what to try.
func banner(w io.Writer, cfg Config, p *ports, tokenFile string) error {
	site := "http://" + p.demo.Addr().String()
	connect := ""
	if p.http.Addr().String() != DefaultConfig().HTTPAddr {
		connect += " --server http://" + p.http.Addr().String()
	}
	if cfg.DataDir != DefaultDataDir() {
		connect += " --token-file " + tokenFile
	}
	_, err := fmt.Fprintf(w, `quorate dev is ready: development mode, loopback only, one shared token

  REST        http://%[1]s/v1           (API description: http://%[1]s/openapi.json)
  gRPC        %[2]s                  (reflection and health on)
  OTLP        http://%[1]s/v1/traces  and gRPC on %[2]s
  web-fetch   http://%[3]s
  Demo site   %[4]s/article       (the one site that web-fetch may read)
  Data        %[5]s
  Token file  %[6]s

Try
  quorate agents list%[7]s
  quorate tasks submit%[7]s --agent web-fetch --text "Fetch %[4]s/article" --watch

Ctrl-C stops it; the next start on the same data goes on where this one ended.
`, p.http.Addr(), p.grpc.Addr(), p.webfetch.Addr(), site, cfg.DataDir, tokenFile, connect)
	return err
}

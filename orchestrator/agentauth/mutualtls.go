package agentauth

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/secretfile"
)

// idlePerAgent is the number of idle connections kept for an agent, as for agents without certificates.
const idlePerAgent = 64

// mutualTLS is a client certificate.
type mutualTLS struct {
	CertFile string `yaml:"certFile"`
	KeyFile  string `yaml:"keyFile"`
	CAFile   string `yaml:"caFile"` // trusted authorities; empty: those that this machine trusts
}

// open returns a TLS configuration with the certificate, and a client that uses it.
func (m *mutualTLS) open(c Config) (*tls.Config, *http.Client, error) {
	for field, file := range map[string]string{"certFile": m.CertFile, "keyFile": m.KeyFile, "caFile": m.CAFile} {
		if !filepath.IsAbs(file) && (file != "" || field != "caFile") {
			return nil, nil, fmt.Errorf("mutualTLS.%s: want an absolute path", field)
		}
	}
	shown, err := secretfile.ClientTLS(m.CAFile, m.CertFile, m.KeyFile, c.Logger)
	if err != nil {
		return nil, nil, fmt.Errorf("mutualTLS: %w", err)
	}
	return shown, c.Policy.Client(netguard.ClientOptions{MaxIdlePerHost: idlePerAgent, TLS: shown.Clone()}), nil
}

package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/jaeger"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/secretfile"
	"github.com/quorate/quorate/registry"
)

// Evidence says what counts as evidence of a consultation, and where it is looked for besides the verdicts that agents send. The zero value is the
// authenticated target's own verdict and nowhere else.
type Evidence struct {
	Lowest     string // level that counts; empty is consultation.LevelRecorded
	Jaeger     Jaeger
	CloudWatch consultation.Traces // where AWS X-Ray keeps its spans; nil for nowhere
}

// Jaeger names the query service of a Jaeger; without a URL there is none.
type Jaeger struct {
	URL         *url.URL           // the operator's word, so it may be on a private address
	Token       *secretfile.Secret // nil for none
	Authorities *x509.CertPool     // who may vouch for its certificate; nil: whom this machine trusts
	Timeout     time.Duration      // of one look; default 2 s
}

// signers are the agents whose keys the registry has.
type signers struct{ registry *registry.Registry }

var _ consultation.Signers = signers{}

// Verifier implements consultation.Signers.
func (s signers) Verifier(ctx context.Context, tenant, agent string) (consultation.Verifier, error) {
	check, err := s.registry.Signatures(ctx, registry.Key{Tenant: tenant, Name: agent})
	return consultation.Verifier(check), err
}

// ledger returns the ledger over s, with the keys of r. What it asks is measured by m.
func (e *Evidence) ledger(s consultation.Store, r *registry.Registry, logger *slog.Logger, m metric.Meter) (*consultation.Ledger, error) {
	o := consultation.LedgerOptions{Logger: logger, Lowest: e.Lowest, Signers: signers{r}}
	if j := e.Jaeger; j.URL != nil {
		client := netguard.ForEndpoint(j.URL, nil).Client(netguard.ClientOptions{
			TLS: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: j.Authorities},
		})
		o.Traces = []consultation.Traces{jaeger.New(jaeger.Config{URL: j.URL, Token: j.Token, Client: client, Timeout: j.Timeout})}
	}
	if e.CloudWatch != nil {
		o.Traces = append(o.Traces, e.CloudWatch)
	}
	var err error
	o.Traces, err = observed(o.Traces, m)
	return consultation.NewLedger(s, o), err
}

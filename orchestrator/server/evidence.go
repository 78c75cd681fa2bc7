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
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/secretfile"
	"github.com/quorate/quorate/registry"
)

// Evidence says what counts as evidence of a consultation, and where to look for it besides the verdicts that agents send. The zero value accepts
// verdicts of the authenticated target only.
type Evidence struct {
	Lowest       string        // lowest level that counts; empty is consultation.LevelRecorded
	AnswerWithin time.Duration // how long a consulted agent may take to answer; zero is consultation.DefaultTTL
	Jaeger       Jaeger
	CloudWatch   consultation.Traces // where AWS X-Ray stores spans; nil: not used
}

// Jaeger configures the query service of a Jaeger. Without a URL there is none.
type Jaeger struct {
	URL         *url.URL           // set by the operator, so private addresses are allowed
	Token       *secretfile.Secret // nil for none
	Authorities *x509.CertPool     // that may have issued its certificate; nil: those that this machine trusts
	Timeout     time.Duration      // of one query; default 2 s
}

// signers provides the keys of agents from the registry.
type signers struct{ registry *registry.Registry }

var _ consultation.Signers = signers{}

// Verifier implements consultation.Signers.
func (s signers) Verifier(ctx context.Context, tenant, agent string) (consultation.Verifier, error) {
	check, err := s.registry.Signatures(ctx, registry.Key{Tenant: tenant, Name: agent})
	return consultation.Verifier(check), err
}

// openEvidence creates the ledger of consultations, and the receiver of the spans that are evidence of them.
func (s *Server) openEvidence(o Options) (*consultation.Ledger, *otlp.Receiver, error) {
	meter := o.Telemetry.MeterProvider.Meter("quorate/consultation")
	ledger, err := o.Evidence.ledger(o.Stores, s.Registry, s.logger, meter)
	if err != nil {
		return nil, nil, err
	}
	receiver, err := otlp.New(ledger, otlp.Options{Logger: s.logger, Meter: meter})
	return ledger, receiver, err
}

// ledger returns the ledger over the consultations in s, with the keys from r. m measures its queries.
func (e *Evidence) ledger(s *Stores, r *registry.Registry, logger *slog.Logger, m metric.Meter) (*consultation.Ledger, error) {
	o := consultation.LedgerOptions{Now: s.Now, Logger: logger, TTL: e.AnswerWithin, Lowest: e.Lowest, Signers: signers{r}}
	var err error
	o.Traces, err = observed(e.Backends(), m)
	return consultation.NewLedger(s.Consultations, o), err
}

// Backends returns the trace backends that are configured.
func (e *Evidence) Backends() (list []consultation.Traces) {
	if j := e.Jaeger; j.URL != nil {
		client := netguard.ForEndpoint(j.URL, nil).Client(netguard.ClientOptions{
			TLS: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: j.Authorities},
		})
		list = append(list, jaeger.New(jaeger.Config{URL: j.URL, Token: j.Token, Client: client, Timeout: j.Timeout}))
	}
	if e.CloudWatch != nil {
		list = append(list, e.CloudWatch)
	}
	return list
}

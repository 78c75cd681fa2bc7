package cli

import (
	"cmp"
	"crypto/tls"
	"net/http"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/secretfile"
)

// Environment variables for TLS: whom to trust, and the certificate for servers that ask for one.
const (
	envCAFile   = "QUORATE_CA_FILE"
	envCertFile = "QUORATE_CERT_FILE"
	envKeyFile  = "QUORATE_KEY_FILE"
)

// tlsFiles are the names of PEM files; empty for none.
type tlsFiles struct{ ca, cert, key nonEmpty }

func (f *tlsFiles) flags(flags *pflag.FlagSet) {
	flags.Var(&f.ca, "ca-file", "file with the authorities to trust instead of this machine's (env "+envCAFile+")")
	flags.Var(&f.cert, "cert-file", "file with our certificate, for a server that asks for one (env "+envCertFile+")")
	flags.Var(&f.key, "key-file", "file with its private key (env "+envKeyFile+")")
}

// client returns an HTTP client that uses the files, or nil when there are none.
func (f *tlsFiles) client() (*http.Client, error) {
	ca, cert, key := cmp.Or(string(f.ca), config.Env(envCAFile)), cmp.Or(string(f.cert), config.Env(envCertFile)), cmp.Or(string(f.key), config.Env(envKeyFile))
	if ca+cert+key == "" {
		return nil, nil //nolint:nilnil // the default client will do
	}
	if (cert == "") != (key == "") {
		return nil, usage("--cert-file and --key-file belong together")
	}
	c, err := secretfile.ClientTLS(ca, cert, key, nil)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "TLS_FILE_INVALID", "%w", err)
	}
	a, own := &asked{}, c.GetClientCertificate
	c.GetClientCertificate = func(r *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		a.was.Store(true)
		if own == nil {
			return &tls.Certificate{}, nil // none
		}
		return own(r)
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	transport = transport.Clone()
	transport.TLSClientConfig = c
	a.next = transport
	return &http.Client{Transport: a}, nil
}

// asked is a transport that says in its errors whether the server has asked for a certificate since it last answered.
type asked struct {
	next http.RoundTripper
	was  atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (a *asked) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(r)
	switch {
	case err == nil: // what it was shown, it accepts
		a.was.Store(false)
	case a.was.Load():
		err = &askedError{err}
	}
	return answer, err
}

// askedError is an error of a connection to a server that asks for a certificate.
type askedError struct{ error }

func (e *askedError) Unwrap() error { return e.error }

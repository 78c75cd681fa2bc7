package cli

import (
	"cmp"
	"crypto/tls"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/quorate/quorate/platform/config"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/secretfile"
)

// tlsFiles are files (PEM) for connections to Quorate.
type tlsFiles struct{ ca, cert, key string }

func (f *tlsFiles) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.ca, "ca-file", "", "file with the authorities to trust for Quorate instead of this machine's (env QUORATE_CA_FILE)")
	flags.StringVar(&f.cert, "cert-file", "", "file with the agent's certificate, for a Quorate that asks for one; reloaded when it changes (env QUORATE_CERT_FILE)")
	flags.StringVar(&f.key, "key-file", "", "file with the private key of that certificate (env QUORATE_KEY_FILE)")
}

// config returns what the files say, or nil without any.
func (f *tlsFiles) config(logger *slog.Logger) (*tls.Config, error) {
	ca, cert, key := cmp.Or(f.ca, config.Env("QUORATE_CA_FILE")), cmp.Or(f.cert, config.Env("QUORATE_CERT_FILE")), cmp.Or(f.key, config.Env("QUORATE_KEY_FILE"))
	if ca == "" && cert == "" && key == "" {
		return nil, nil //nolint:nilnil // Go's defaults
	}
	if (cert == "") != (key == "") {
		return nil, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "--cert-file and --key-file belong together")
	}
	c, err := secretfile.ClientTLS(ca, cert, key, logger)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "%w", err)
	}
	return c, nil
}

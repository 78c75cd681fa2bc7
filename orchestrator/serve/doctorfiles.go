package serve

import (
	"context"
	"errors"
	"net/url"
	"os"
	"time"

	"github.com/quorate/quorate/orchestrator/doctor"
	"github.com/quorate/quorate/platform/auth"
)

func (c *Config) checkTLS(ctx context.Context) doctor.Finding {
	if c.TLS.Cert == "" {
		return notConfigured(ctx)
	}
	protection, err := c.TLS.config(discard())
	if err != nil {
		return doctor.Failed(err, "name files in tls.cert, tls.key and tls.clientCA that this user can read and that belong together")
	}
	pair, err := protection.GetCertificate(nil)
	if err != nil {
		return doctor.Failed(err, "")
	}
	f := doctor.CheckCertificate(pair.Leaf, time.Now())
	if u, err := url.Parse(c.HTTP.PublicURL); f.Status == doctor.OK && err == nil && u.Host != "" && pair.Leaf.VerifyHostname(u.Hostname()) != nil {
		return doctor.Warned("get a certificate with that name, unless a proxy in front has one", "the certificate is not for %s, the host of http.publicURL", u.Hostname())
	}
	return f
}

func (c *Config) checkKeys(ctx context.Context) doctor.Finding {
	if c.Auth.KeysFile == "" {
		return notConfigured(ctx)
	}
	if _, err := auth.OpenKeysFile(c.Auth.KeysFile, "auth.keysFile", discard()); err != nil {
		return doctor.Failed(err, "repair the file, and let this user read it")
	}
	return doctor.Found("%s is in order", c.Auth.KeysFile)
}

func (c *Config) checkPageKey(ctx context.Context) doctor.Finding {
	if c.Store.PageKeyFile == "" {
		return notConfigured(ctx)
	}
	if _, err := c.Store.pageKey(); err != nil {
		return doctor.Failed(err, "let this user, and no others, read it; while there is none, openssl rand -hex 32 makes one, for all replicas")
	}
	return doctor.Found("%s has a key", c.Store.PageKeyFile)
}

func (c *Config) checkCards(ctx context.Context) doctor.Finding {
	folder := c.Agents.CardFolder
	if folder == "" {
		return notConfigured(ctx)
	}
	if _, err := os.ReadDir(folder); err != nil {
		return doctor.Failed(err, "make the folder, and let this user read it; until then its agents are not registered")
	}
	return doctor.Found("%s can be read", folder)
}

func (c *Config) checkCredentials(ctx context.Context) doctor.Finding {
	if c.Agents.CredentialsFile == "" {
		return notConfigured(ctx)
	}
	_, credentials, err := c.Agents.open(discard())
	if err := errors.Join(err, credentials.Close()); err != nil {
		return doctor.Failed(err, "repair the entries that are named, and the files and variables that they name")
	}
	for origin, certificate := range credentials.Certificates() {
		if f := doctor.CheckClientCertificate(certificate, time.Now()); f.Status != doctor.OK {
			f.Found = "for " + origin + ", " + f.Found
			return f
		}
	}
	return doctor.Found("%s is in order, with all that it refers to", c.Agents.CredentialsFile)
}

package doctor

import (
	"crypto/x509"
	"fmt"
	"slices"
	"time"
)

// A certificate should have been renewed so long before its end, or before so much of its time was left: some are valid for a few days, or for an hour.
const (
	renewBefore = 14 * 24 * time.Hour
	renewPart   = 4 // a fourth
)

// role is that of whoever shows a certificate.
type role struct {
	name, others string
	use          x509.ExtKeyUsage
	usage        string // as OpenSSL calls it
}

// CheckCertificate looks at the times and the use of a server's certificate.
func CheckCertificate(leaf *x509.Certificate, now time.Time) Finding {
	return role{"server", "clients", x509.ExtKeyUsageServerAuth, "serverAuth"}.check(leaf, now)
}

// CheckClientCertificate looks at the times and the use of a certificate that is shown to servers.
func CheckClientCertificate(leaf *x509.Certificate, now time.Time) Finding {
	return role{"client", "servers", x509.ExtKeyUsageClientAuth, "clientAuth"}.check(leaf, now)
}

func (r role) check(leaf *x509.Certificate, now time.Time) Finding {
	do := "renew the " + r.name + "'s certificate: it is read again within 10 seconds"
	until := leaf.NotAfter.UTC().Format(time.RFC3339)
	switch {
	case now.After(leaf.NotAfter):
		return Failed(fmt.Errorf("the certificate has expired at %s", until), do)
	case now.Before(leaf.NotBefore):
		return Failed(fmt.Errorf("the certificate is not valid before %s", leaf.NotBefore.UTC().Format(time.RFC3339)), "check this machine's clock")
	case len(leaf.ExtKeyUsage)+len(leaf.UnknownExtKeyUsage) > 0 && !slices.ContainsFunc(leaf.ExtKeyUsage, r.isFor):
		return Failed(fmt.Errorf("the certificate is not one for %ss: %s refuse it", r.name, r.others), "get one whose extended key usage has "+r.usage)
	case leaf.NotAfter.Sub(now) < min(renewBefore, leaf.NotAfter.Sub(leaf.NotBefore)/renewPart):
		return Warned(do, "the certificate expires at %s", until)
	}
	return Found("the certificate is valid until %s", until)
}

func (r role) isFor(u x509.ExtKeyUsage) bool { return u == r.use || u == x509.ExtKeyUsageAny }

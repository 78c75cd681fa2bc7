package doctor

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"
)

// renewBefore is how long before its end a certificate should have been renewed.
const renewBefore = 14 * 24 * time.Hour

// CheckCertificate looks at the times and the use of a server's certificate.
func CheckCertificate(leaf *x509.Certificate, now time.Time) Finding {
	const do = "renew the server's certificate: it is read again within 10 seconds"
	until := leaf.NotAfter.UTC().Format(time.RFC3339)
	switch {
	case now.After(leaf.NotAfter):
		return Failed(fmt.Errorf("the certificate has expired at %s", until), do)
	case now.Before(leaf.NotBefore):
		return Failed(fmt.Errorf("the certificate is not valid before %s", leaf.NotBefore.UTC().Format(time.RFC3339)), "check this machine's clock")
	case len(leaf.ExtKeyUsage)+len(leaf.UnknownExtKeyUsage) > 0 && !slices.ContainsFunc(leaf.ExtKeyUsage, isForServers):
		return Failed(errors.New("the certificate is not one for servers: clients refuse it"), "get one whose extended key usage has serverAuth")
	case leaf.NotAfter.Sub(now) < renewBefore:
		return Warned(do, "the certificate expires at %s", until)
	}
	return Found("the certificate is valid until %s", until)
}

func isForServers(u x509.ExtKeyUsage) bool {
	return u == x509.ExtKeyUsageServerAuth || u == x509.ExtKeyUsageAny
}

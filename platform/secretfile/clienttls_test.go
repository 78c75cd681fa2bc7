package secretfile_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/secretfile"
)

// A key without its certificate would otherwise show nothing, and nobody would be told.
func TestACertificateIsShownWithItsKeyOrNotAtAll(t *testing.T) {
	t.Parallel()
	own := certtest.NewAuthority(t).Issue(t, "client")
	for _, pair := range [][2]string{{own.CertFile, ""}, {"", own.KeyFile}} {
		if _, err := secretfile.ClientTLS("", pair[0], pair[1], nil); err == nil || !strings.Contains(err.Error(), "belong together") {
			t.Errorf("ClientTLS() with %q = %v, want that a certificate and its key belong together", pair, err)
		}
	}
	c, err := secretfile.ClientTLS("", "", "", nil)
	if err != nil || c.GetClientCertificate != nil || c.RootCAs != nil {
		t.Errorf("ClientTLS() without files = %+v, %v, want one that shows nothing and trusts whom the machine trusts", c, err)
	}
}

package secretfile_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/secretfile"
)

// A block that cannot be read as a certificate is not skipped: the list of trusted authorities would then differ from the operator's.
func TestAuthoritiesAreReadCompletelyOrNotAtAll(t *testing.T) {
	t.Parallel()
	one, other := certtest.NewAuthority(t), certtest.NewAuthority(t)
	both := one.Pool()
	both.AddCert(other.Pair.Leaf)
	for name, test := range map[string]struct{ text, want string }{
		"two, with words between": {text: "# ours\n" + string(one.Cert) + "# theirs\n" + string(other.Cert)},
		"none":                    {text: "none", want: "has no certificate"},
		"a key":                   {text: string(one.Cert) + string(one.Key), want: "block 2 is not a certificate but a "},
		"a broken one":            {text: string(one.Cert) + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", want: "block 2: x509"},
		"a truncated one":         {text: string(one.Cert) + string(other.Cert)[:200], want: "1 of 2 blocks are damaged"},
		"one with a wrong letter": {text: strings.Replace(string(other.Cert), "M", "*", 1) + string(one.Cert), want: "1 of 2 blocks are damaged"},
		"a line that did not end": {text: strings.TrimSpace(string(one.Cert)) + string(other.Cert) + string(one.Cert), want: "damaged"},
		"one that is indented":    {text: string(one.Cert) + " " + string(other.Cert), want: "1 of 2 blocks are damaged"},
		"one that is taken out":   {text: string(one.Cert) + string(other.Cert) + "#" + strings.ReplaceAll(string(one.Cert), "\n", "\n#")},
		"too much":                {text: strings.Repeat("#\n", 1<<19+1), want: "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "ca.crt")
			write(t, file, test.text, 0o644, time.Now())
			pool, err := secretfile.Authorities(file)
			switch {
			case test.want == "" && (err != nil || !pool.Equal(both)):
				t.Errorf("Authorities() = %v, want both", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("Authorities() = %v, want %q", err, test.want)
			}
		})
	}
}

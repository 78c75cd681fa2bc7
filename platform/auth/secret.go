package auth

import (
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"log/slog"
	"math/big"
	"strings"
)

const redacted = "[redacted]"

// Secret is a string that prints as "[redacted]" in every format, log and encoding. Never use it as a map key:
// encoding/json writes string keys unredacted.
type Secret string

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// GoString returns "[redacted]".
func (Secret) GoString() string { return redacted }

// LogValue returns "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalJSON returns "[redacted]" as a JSON string.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText returns "[redacted]".
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// Format prints "[redacted]" for every verb. Without it, %x and %d would print the secret.
func (Secret) Format(f fmt.State, _ rune) {
	_, _ = f.Write([]byte(redacted)) // a formatter cannot report errors
}

const (
	secretBytes  = 32
	secretDigits = 43 // base 62 digits that hold 32 bytes
)

// NewToken returns a new random token quorate_<kind>_<secret>_<checksum>: 256 random bits in 43 base 62 digits and
// their CRC-32 in hexadecimal. The fixed prefix and the checksum let secret scanners find a leaked token without false
// alarms.
func NewToken(kind string) Secret {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never returns an error since Go 1.24
	digits := new(big.Int).SetBytes(raw).Text(62)
	digits = strings.Repeat("0", secretDigits-len(digits)) + digits
	return Secret(fmt.Sprintf("quorate_%s_%s_%08x", kind, digits, crc32.ChecksumIEEE([]byte(digits))))
}

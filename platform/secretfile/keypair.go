package secretfile

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/bounded"
)

// KeyPair is a certificate with its private key (PEM), made by OpenKeyPair. It is safe for concurrent use.
type KeyPair struct {
	cert, key string
	logger    *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate // guarded by mu
	content []byte           // guarded by mu; of the certificate's file when pair was read
	checked time.Time        // guarded by mu
	failing bool             // guarded by mu; whether reading the files again failed the last time
}

// OpenKeyPair reads a certificate and its key. They must belong together, and the key's file must not be world-readable. Both are read again when the
// certificate's file changes, which is logged; a nil logger logs nothing.
func OpenKeyPair(cert, key string, logger *slog.Logger) (*KeyPair, error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	k := &KeyPair{cert: cert, key: key, logger: logger}
	pair, err := k.Certificate()
	if err == nil {
		if err := k.valid(pair); err != nil { // no reason not to start: this machine's clock may be wrong, or others not need this certificate
			logger.Error("a certificate is not valid now", slog.String("file", cert), slog.Any("error", err))
		}
	}
	return k, err
}

// valid returns an error for a certificate that is not valid now.
func (k *KeyPair) valid(pair *tls.Certificate) error {
	switch now, leaf := time.Now(), pair.Leaf; {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("%s expired at %s", k.cert, leaf.NotAfter.UTC().Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("%s is not valid before %s", k.cert, leaf.NotBefore.UTC().Format(time.RFC3339))
	}
	return nil
}

// Certificate returns the current certificate. If a changed one cannot be read, has expired, or is not valid yet, the previous one stays in use.
func (k *KeyPair) Certificate() (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pair != nil && time.Since(k.checked) < checkEvery {
		return k.pair, nil
	}
	k.checked = time.Now()
	cert, err := bounded.RegularFile(k.cert, maxBytes) // the modification time stays the same for files in images and for copies
	if err == nil && k.pair != nil && !k.failing && bytes.Equal(cert, k.content) {
		return k.pair, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = k.join(cert)
	}
	if err != nil && k.pair == nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	if err == nil && k.pair != nil {
		err = k.valid(&pair)
	}
	k.tell(&pair, err)
	if err == nil {
		k.pair, k.content = &pair, cert
	}
	return k.pair, nil
}

// join reads the key that belongs to a certificate.
func (k *KeyPair) join(cert []byte) (tls.Certificate, error) {
	key, err := Read(k.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	switch {
	case err != nil && needsPassphrase(key):
		err = fmt.Errorf("%s needs a passphrase, and nobody can be asked for it: write the key without one (openssl pkey)", k.key)
	case err != nil:
		err = fmt.Errorf("%s with %s: %w", k.cert, k.key, err)
	}
	return pair, err
}

// needsPassphrase reports whether a key (PEM) is encrypted, in the form of PKCS #8 or in that of RFC 1421, which OpenSSL wrote before.
func needsPassphrase(key []byte) bool {
	return bytes.Contains(key, []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----")) || bytes.Contains(key, []byte("Proc-Type: 4,ENCRYPTED"))
}

// tell logs that the certificate was read again or, once, that it could not be. It takes no context, because it is chance which handshake checks the files.
// The caller holds mu.
func (k *KeyPair) tell(pair *tls.Certificate, err error) {
	file := slog.String("file", k.cert)
	switch {
	case err != nil && !k.failing:
		k.logger.Error("a certificate could not be read again; the previous one stays in use", file, slog.Time("expires", k.pair.Leaf.NotAfter), slog.Any("error", err))
	case err == nil && k.pair != nil:
		k.logger.Info("a certificate was read again", file, slog.Time("expires", pair.Leaf.NotAfter))
	}
	k.failing = err != nil
}

package secretfile

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// KeyPair is a certificate with its private key (PEM). Make it with OpenKeyPair; it is safe for concurrent use.
type KeyPair struct {
	cert, key string

	mu      sync.Mutex
	pair    *tls.Certificate // guarded by mu
	changed time.Time        // guarded by mu; when the certificate's file was changed that pair is from
	checked time.Time        // guarded by mu
}

// OpenKeyPair reads a certificate, which must be there and fit its key. Its files are read again when the certificate's changes.
func OpenKeyPair(cert, key string) (*KeyPair, error) {
	k := &KeyPair{cert: cert, key: key}
	_, err := k.Certificate()
	return k, err
}

// Certificate returns the certificate of now. One that cannot be read again is no reason to stop with the one that was.
func (k *KeyPair) Certificate() (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pair != nil && time.Since(k.checked) < checkEvery {
		return k.pair, nil
	}
	k.checked = time.Now()
	info, err := os.Stat(k.cert)
	if err == nil && k.pair != nil && info.ModTime().Equal(k.changed) {
		return k.pair, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(k.cert, k.key)
	}
	switch {
	case err == nil:
		k.pair, k.changed = &pair, info.ModTime()
	case k.pair == nil:
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	return k.pair, nil
}

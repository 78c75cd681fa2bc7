package secretfile

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/quorate/quorate/platform/bounded"
)

// KeyPair is a certificate with its private key (PEM). Make it with OpenKeyPair; it is safe for concurrent use.
type KeyPair struct {
	cert, key string
	logger    *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate // guarded by mu
	changed time.Time        // guarded by mu; when the certificate's file was changed that pair is from
	checked time.Time        // guarded by mu
	failing bool             // guarded by mu; whether pair could not be read again when it was looked at last
}

// OpenKeyPair reads a certificate, which must be there and fit its key, which not everybody may read. Its files are read again when the certificate's
// changes, and logger, nil for none, is told of that.
func OpenKeyPair(cert, key string, logger *slog.Logger) (*KeyPair, error) {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	k := &KeyPair{cert: cert, key: key, logger: logger}
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
		pair, err = k.read()
	}
	if err != nil && k.pair == nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	k.tell(&pair, err)
	if err == nil {
		k.pair, k.changed = &pair, info.ModTime()
	}
	return k.pair, nil
}

func (k *KeyPair) read() (tls.Certificate, error) {
	cert, err := bounded.File(k.cert, maxBytes)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := Read(k.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		err = fmt.Errorf("%s with %s: %w", k.cert, k.key, err)
	}
	return pair, err
}

// tell logs that the certificate was read again, or once that it could not be; the caller holds mu. Which handshake has the files looked at is chance.
func (k *KeyPair) tell(pair *tls.Certificate, err error) {
	file := slog.String("file", k.cert)
	switch {
	case err != nil && !k.failing:
		k.logger.Error("a certificate could not be read again; the one of before counts", file, slog.Time("expires", k.pair.Leaf.NotAfter), slog.Any("error", err))
	case err == nil && k.pair != nil:
		k.logger.Info("a certificate was read again", file, slog.Time("expires", pair.Leaf.NotAfter))
	}
	k.failing = err != nil
}

package serve

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/secretfile"
)

// checkEvery is how often the file of API keys is looked at.
const checkEvery = 10 * time.Second

// readSecret returns the content of a file that not everybody may read; what and field name it in errors.
func readSecret(file, field, what string) ([]byte, error) {
	secret, err := secretfile.Read(file)
	if err != nil {
		return nil, invalid(field, "read %s: %w", what, err)
	}
	return secret, nil
}

// pageKey returns the key of page tokens; nil when no file is named.
func (s *Store) pageKey() ([]byte, error) {
	if s.PageKeyFile == "" {
		return nil, nil
	}
	key, err := readSecret(s.PageKeyFile, "store.pageKeyFile", "the key of page tokens")
	if err != nil {
		return nil, err
	}
	if text := bytes.TrimSpace(key); len(text) == hex.EncodedLen(server.PageKeyBytes) {
		decoded := make([]byte, server.PageKeyBytes)
		if _, err := hex.Decode(decoded, text); err == nil {
			return decoded, nil
		}
	}
	if len(key) != server.PageKeyBytes {
		return nil, invalid("store.pageKeyFile", "%s has %d bytes; want %d, or twice as many hexadecimal digits", s.PageKeyFile, len(key), server.PageKeyBytes)
	}
	return key, nil
}

// embeddings is the endpoint with its key.
func (r *Routing) embeddings() (server.Embeddings, error) {
	e := server.Embeddings{URL: r.EmbeddingsURL, Model: r.EmbeddingsModel, Timeout: r.EmbeddingsTimeout}
	if r.EmbeddingsKeyFile == "" {
		return e, nil
	}
	key, err := readSecret(r.EmbeddingsKeyFile, "routing.embeddingsKeyFile", "the key of the embeddings endpoint")
	if err != nil {
		return e, err
	}
	e.Key = auth.Secret(bytes.TrimSpace(key))
	if e.Key == "" {
		return e, invalid("routing.embeddingsKeyFile", "%s is empty", r.EmbeddingsKeyFile)
	}
	return e, nil
}

// keys are the API keys of a file.
type keys struct {
	file   string
	logger *slog.Logger
	ring   atomic.Pointer[auth.Keyring]
	seen   time.Time // the change of the file that was looked at last
}

var _ auth.Authenticator = (*keys)(nil)

// openKeys reads the file, which must be there and right.
func openKeys(file string, logger *slog.Logger) (*keys, error) {
	k := &keys{file: file, logger: logger}
	_, err := k.load()
	return k, err
}

// Authenticate implements auth.Authenticator.
func (k *keys) Authenticate(ctx context.Context, token string) (auth.Principal, error) {
	return k.ring.Load().Authenticate(ctx, token)
}

// load reads the file if it changed since it was looked at last.
func (k *keys) load() (changed bool, err error) {
	f, err := os.Open(k.file)
	if err != nil {
		return false, fmt.Errorf("read the API keys: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("read the API keys: %w", err)
	}
	if info.ModTime().Equal(k.seen) {
		return false, nil
	}
	k.seen = info.ModTime()
	ring := auth.NewKeyring()
	n, err := ring.Read(f)
	if err != nil {
		return true, fmt.Errorf("API keys in %s: %w", k.file, err)
	}
	if n == 0 {
		return true, invalid("auth.keysFile", "%s has no key; quorate keys new makes one", k.file)
	}
	k.ring.Store(ring)
	return true, nil
}

// run reads the file again whenever it has changed, until ctx ends. A file that is wrong changes nothing, and is told.
func (k *keys) run(ctx context.Context) error {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		switch changed, err := k.load(); {
		case err != nil:
			k.logger.ErrorContext(ctx, "the API keys could not be read again; those of before count", slog.Any("error", err))
		case changed:
			k.logger.InfoContext(ctx, "the API keys were read again", slog.String("file", k.file))
		}
	}
}

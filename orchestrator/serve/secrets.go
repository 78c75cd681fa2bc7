package serve

import (
	"bytes"
	"encoding/hex"

	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/secretfile"
)

// readSecret returns the content of a file, which must not be world-readable; what and field name it in errors.
func readSecret(file, field, what string) ([]byte, error) {
	secret, err := secretfile.Read(file)
	if err != nil {
		return nil, invalid(field, "read %s: %w", what, err)
	}
	return secret, nil
}

// pageKey returns the key of page tokens, or nil when no file is configured.
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

// embeddings returns the endpoint with its key.
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

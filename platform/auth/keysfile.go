package auth

import (
	"context"
	"crypto/sha256"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// checkEvery is how often a file of keys is looked at.
const checkEvery = 10 * time.Second

// KeysFile knows the API keys in a key file, as it is now: Run reads it again when it changes.
type KeysFile struct {
	file, setting string
	logger        *slog.Logger
	ring          atomic.Pointer[Keyring]
	read          [sha256.Size]byte // the hash of what ring was made of
}

var _ Authenticator = (*KeysFile)(nil)

// OpenKeysFile reads a key file, which setting names in errors. One that is not there, is wrong or has no key is an InvalidArgument fault: nobody could call.
func OpenKeysFile(file, setting string, logger *slog.Logger) (*KeysFile, error) {
	k := &KeysFile{file: file, setting: setting, logger: logger}
	_, err := k.load()
	return k, err
}

// Authenticate implements Authenticator.
func (k *KeysFile) Authenticate(ctx context.Context, token string) (Principal, error) {
	return k.ring.Load().Authenticate(ctx, token)
}

// load reads the file, and reports whether it says something else than what counts. Its time does not tell: that of files in images, of copies and of what is
// written twice in a moment stays the same, and a key that was taken out must not count.
func (k *KeysFile) load() (changed bool, err error) {
	f, err := os.Open(k.file)
	if err != nil {
		return false, k.invalid("nobody could call: %w; quorate keys new makes a key", err)
	}
	defer func() { _ = f.Close() }() // only read
	ring, sum := NewKeyring(), sha256.New()
	n, err := ring.Read(io.TeeReader(f, sum))
	switch {
	case err != nil:
		return false, k.invalid("%s: %w", k.file, err)
	case n == 0:
		return false, k.invalid("nobody could call: %s has no key; quorate keys new makes one", k.file)
	}
	read := [sha256.Size]byte(sum.Sum(nil))
	if changed = read != k.read; changed {
		k.read = read
		k.ring.Store(ring)
	}
	return changed, nil
}

func (k *KeysFile) invalid(format string, args ...any) error {
	return fault.Invalid(k.setting, "CONFIG_INVALID", format, args...)
}

// Run reads the file within ten seconds of a change until ctx ends, and returns nil. One that is wrong changes nothing, and the logger is told once.
func (k *KeysFile) Run(ctx context.Context) error {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for told := ""; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		changed, err := k.load()
		switch {
		case err != nil && err.Error() != told:
			told = err.Error()
			k.logger.ErrorContext(ctx, "the API keys could not be read again; those of before count", slog.Any("error", err))
		case err == nil:
			told = ""
		}
		if changed {
			k.logger.InfoContext(ctx, "the API keys were read again", slog.String("file", k.file))
		}
	}
}

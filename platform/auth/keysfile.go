package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// checkEvery is how often a key file is checked for changes.
const checkEvery = 10 * time.Second

// KeysFile is an Authenticator for the API keys in a key file. Run reads the file again when it changes.
type KeysFile struct {
	file, setting string
	logger        *slog.Logger
	ring          atomic.Pointer[Keyring]
	read          [sha256.Size]byte // the hash of the content that ring was made from
}

var _ Authenticator = (*KeysFile)(nil)

// OpenKeysFile reads a key file; errors name it as setting. A file that is missing, is wrong or has no key is an InvalidArgument fault, since nobody could call;
// so is one that everybody may write, since anybody on the machine could.
func OpenKeysFile(file, setting string, logger *slog.Logger) (*KeysFile, error) {
	k := &KeysFile{file: file, setting: setting, logger: logger}
	_, err := k.load()
	return k, err
}

// Authenticate implements Authenticator.
func (k *KeysFile) Authenticate(ctx context.Context, token string) (Principal, error) {
	return k.ring.Load().Authenticate(ctx, token)
}

// load reads the file and reports whether its content has changed. It does not rely on the modification time, which stays the same for files in images, for
// copies, and for files written twice in a moment: a removed key must not stay valid.
func (k *KeysFile) load() (changed bool, err error) {
	info, err := os.Stat(k.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, k.invalid("nobody could call: %w; quorate keys new makes a key", err)
	case err == nil && !info.Mode().IsRegular(): // opening a pipe would wait for somebody to write to it, each time
		return false, k.invalid("%s is not a file", k.file)
	}
	f, err := os.Open(k.file)
	if err != nil {
		return false, k.invalid("%w", err)
	}
	defer func() { _ = f.Close() }() // only read
	if info, err = f.Stat(); err != nil || info.Mode().Perm()&0o002 != 0 {
		return false, k.invalid("%s may be written by everybody, who could add a key: run chmod o-w on it", k.file)
	}
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

// Run reads the file within ten seconds of a change until ctx ends, and returns nil. A wrong file changes nothing and is logged once.
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
		repaired := err == nil && told != "" // perhaps to what is in use already
		switch {
		case err != nil && err.Error() != told:
			told = err.Error()
			k.logger.ErrorContext(ctx, "the API keys could not be read again; the previous ones stay in use", slog.Any("error", err))
		case err == nil:
			told = ""
		}
		if changed || repaired {
			k.logger.InfoContext(ctx, "the API keys were read again", slog.String("file", k.file))
		}
	}
}

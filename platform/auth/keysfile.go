package auth

import (
	"context"
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
	changed       time.Time // when the file was changed that was looked at last
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

// load reads the file if it changed since it was looked at last.
func (k *KeysFile) load() (changed bool, err error) {
	f, err := os.Open(k.file)
	if err != nil {
		return false, k.invalid("nobody could call: %w; quorate keys new makes a key", err)
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return false, k.invalid("nobody could call: %w", err)
	}
	if info.ModTime().Equal(k.changed) {
		return false, nil
	}
	k.changed = info.ModTime()
	ring := NewKeyring()
	n, err := ring.Read(f)
	switch {
	case err != nil:
		return true, k.invalid("%s: %w", k.file, err)
	case n == 0:
		return true, k.invalid("nobody could call: %s has no key; quorate keys new makes one", k.file)
	}
	k.ring.Store(ring)
	return true, nil
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
		case err == nil && changed:
			told = ""
			k.logger.InfoContext(ctx, "the API keys were read again", slog.String("file", k.file))
		}
	}
}

package dev

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/quorate/quorate/platform/auth"
)

// adminToken returns the admin's token from its file, which it creates if necessary.
func adminToken(file string) (auth.Secret, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return newToken(file)
	}
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	token := strings.TrimSpace(string(b))
	switch {
	case info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("the token file %s may be read by others (mode %s): run chmod 600 on it, or delete it to have a new token made", file, info.Mode().Perm())
	case token == "": // a crash, or a full disk, may have left an empty one
		return newToken(file)
	case len(token) < 32:
		return "", fmt.Errorf("the token file %s holds no token: delete it to have a new one made", file)
	}
	return auth.Secret(token), nil
}

func newToken(file string) (auth.Secret, error) {
	token := auth.NewToken("dev")
	if err := os.WriteFile(file, []byte(token.Reveal()+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the token file: %w", err)
	}
	return token, nil
}

package dev

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/bounded"
)

const (
	minToken = 32      // bytes
	maxToken = 4 << 10 // bytes of the file
)

// adminToken returns the admin's token from its file, which it creates if necessary.
func adminToken(file string) (auth.Secret, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newToken(file)
	case err != nil:
		return "", fmt.Errorf("read the token file: %w", err)
	case !info.Mode().IsRegular(): // opening a pipe would wait for somebody to write to it
		return "", fmt.Errorf("the token file %s is not a file: remove it to have a new token made", file)
	case othersMay(groupAndOthers, info):
		return "", fmt.Errorf("the token file %s may be read by others (mode %s): run chmod 600 on it, or delete it to have a new token made", file, info.Mode().Perm())
	}
	content, err := bounded.File(file, maxToken)
	if err != nil {
		return "", fmt.Errorf("read the token file: %w; delete it to have a new token made", err)
	}
	token := strings.TrimSpace(string(content))
	switch {
	case token == "": // a crash, or a full disk, may have left an empty one
		return newToken(file)
	case len(token) < minToken:
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

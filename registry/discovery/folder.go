package discovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

const maxFiles = 10_000

// readFolder reads the card files of a folder. An agent is gone when its file is; if the file cannot be read, the agent stays.
func (r *reader) readFolder(ctx context.Context) {
	source := registry.Source{Type: registry.SourceFolder, Location: r.source.Folder}
	root, err := os.OpenRoot(r.source.Folder) // links cannot lead out of the folder
	var files []string
	if err == nil {
		defer root.Close() //nolint:errcheck // it was only read
		files, err = cardFiles(root)
	}
	if err != nil {
		r.unreadable(ctx, source, err)
		return
	}
	r.failures = 0
	r.rank(files)
	there := make(map[string]bool, len(files))
	for _, file := range files {
		if ctx.Err() != nil {
			return
		}
		s := r.state(file)
		raw, err := readFile(root, file)
		place := path.Join(r.source.Folder, file)
		if err != nil {
			r.failed(ctx, s, place, err)
		} else {
			r.card(ctx, s, place, registry.Found{RawCard: raw, Source: source})
		}
		there[file] = true
	}
	r.forget(func(file string) bool { return there[file] })
	r.markMissing(ctx, source)
}

// cardFiles returns the names of the folder's card files in order.
func cardFiles(root *os.Root) ([]string, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("reading the folder: %w", err)
	}
	var files []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".json") || entry.IsDir() {
			continue
		}
		if len(files) == maxFiles {
			return nil, fmt.Errorf("the folder has more than %d card files", maxFiles)
		}
		files = append(files, name)
	}
	return files, nil
}

func readFile(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("reading the card file: %w", err)
	}
	if !info.Mode().IsRegular() { // opening a pipe would block
		return nil, errors.New("reading the card file: it is not a file")
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the card file: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	raw, err := io.ReadAll(io.LimitReader(file, agentcard.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the card file: %w", err)
	}
	return raw, nil // one that is too long is refused like any other card
}

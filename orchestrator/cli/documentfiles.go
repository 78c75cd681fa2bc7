package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

var documentSuffixes = []string{".yaml", ".yml", ".json", ".jsonl"}

// filesIn returns the files that paths name, in order. Of a folder these are the documents in it and in its subfolders; names with a leading dot are
// skipped. A folder without any is an error: it is probably not the one that was meant.
func filesIn(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if path == "-" || err == nil && !info.IsDir() {
			files = append(files, path)
			continue
		}
		if err != nil {
			return nil, unreadable(err)
		}
		found, err := filesBelow(path)
		if err != nil {
			return nil, unreadable(err)
		}
		if len(found) == 0 {
			return nil, fault.New(fault.InvalidArgument, "INPUT_INVALID", "there is no file *%s in %s", strings.Join(documentSuffixes, ", *"), path)
		}
		files = append(files, found...)
	}
	return files, nil
}

// filesBelow returns the documents in a folder and its subfolders in order of their names.
func filesBelow(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != folder && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !slices.Contains(documentSuffixes, filepath.Ext(path)):
			return nil
		}
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // what a link leads to; opening a pipe would block
			return err
		}
		files = append(files, path)
		return nil
	})
	return files, err
}

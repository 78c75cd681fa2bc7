package browser

import (
	"os"
	"path/filepath"
	"syscall"
)

// lockDirectory locks a directory until the file that it returns is closed, or this process ends in whatever way. On a file system without locks it
// does nothing, and nothing there is taken for left over.
func lockDirectory(path string) *os.File {
	directory, err := openDirectory(path)
	if err == nil {
		_ = syscall.Flock(int(directory.Fd()), syscall.LOCK_EX)
	}
	return directory
}

// removeLeft removes the directories below base whose process was killed, and Chromium with it; see bound.
func removeLeft(base string) {
	paths, _ := filepath.Glob(filepath.Join(base, scratchPattern)) // the pattern is valid
	for _, path := range paths {
		directory, err := openDirectory(path)
		if err != nil {
			continue
		}
		if syscall.Flock(int(directory.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(path) // another user's stays
		}
		_ = directory.Close()
	}
}

// openDirectory opens path only if it is a directory: others may write to the directory above.
func openDirectory(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
}

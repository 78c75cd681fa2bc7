package auth_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
)

// writeAt writes a file with the given modification time.
func writeAt(t *testing.T, file, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestAChangedKeyFileTakesEffect(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	synctest.Test(t, func(t *testing.T) {
		first, second := auth.NewToken("api"), auth.NewToken("api")
		line := func(token auth.Secret) string {
			return auth.KeyLine(token, auth.Principal{Name: "ops", Roles: []auth.Role{auth.RoleAdmin}}) + "\n"
		}
		start := time.Now()
		writeAt(t, file, line(first), start)
		var log strings.Builder
		keys, err := auth.OpenKeysFile(file, "auth.keysFile", slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatalf("OpenKeysFile() = %v, want no error", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); _ = keys.Run(ctx) }()
		<-time.After(5 * time.Second) // everything below happens between two checks of the file
		want := func(when string, counts, not auth.Secret) {
			t.Helper()
			<-time.After(10 * time.Second)
			if p, err := keys.Authenticate(ctx, counts.Reveal()); err != nil || p.Name != "ops" {
				t.Errorf("%s: Authenticate(the key of the file) = %v, %v, want ops", when, p, err)
			}
			if _, err := keys.Authenticate(ctx, not.Reveal()); fault.ReasonOf(err) != "TOKEN_INVALID" {
				t.Errorf("%s: Authenticate(another key) = %v, want TOKEN_INVALID", when, err)
			}
		}
		want("at first", first, second)
		writeAt(t, file, line(second), start.Add(time.Second))
		want("after a change", second, first)
		writeAt(t, file, line(first), start.Add(time.Second))
		want("after a change that leaves the file's time and size as they were", first, second)
		writeAt(t, file, line(second), start.Add(time.Second))
		want("and once more", second, first)
		for n, wrong := range []string{"# none\n", "ops admin\n"} {
			writeAt(t, file, wrong, start.Add(time.Hour+time.Duration(n)))
			want("with a file that is wrong", second, first)
			want("a while later", second, first)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		want("without a file", second, first)
		want("a while later", second, first)
		writeAt(t, file, line(second), start)
		want("with the file whose keys stayed in use", second, first)
		writeAt(t, file, line(first), start)
		want("with the first file again", first, second)
		want("a while later", first, second)
		stop()
		<-done
		if got := log.String(); strings.Count(got, "level=ERROR") != 3 || strings.Count(got, "were read again") != 5 || strings.Contains(got, first.Reveal()) {
			t.Errorf("the log is %s, want four renewals, each of three mistakes once, and once that the last is repaired", got)
		}
	})
}

func TestAKeyFileWithoutUsableKeysIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, want := range map[string]string{"none": "no such file or directory; quorate keys new makes a key", "empty": "has no key", "wrong": "line 2"} {
		file := filepath.Join(dir, name)
		if name != "none" {
			writeAt(t, file, map[string]string{"empty": "# nobody\n", "wrong": "\nops admin\n"}[name], time.Now())
		}
		_, err := auth.OpenKeysFile(file, "auth.keysFile", slog.New(slog.DiscardHandler))
		if fault.ReasonOf(err) != "CONFIG_INVALID" || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) {
			t.Errorf("OpenKeysFile(%s) = %v, want CONFIG_INVALID with the file and %q", name, err, want)
		}
	}
}

// TestAKeyFileThatEverybodyMayWriteIsRefused has anybody on the machine able to make an admin of themselves.
func TestAKeyFileThatEverybodyMayWriteIsRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	writeAt(t, file, auth.KeyLine(auth.NewToken("api"), auth.Principal{Name: "ops", Roles: []auth.Role{auth.RoleAdmin}})+"\n", time.Now())
	for mode, refused := range map[os.FileMode]bool{0o644: false, 0o664: false, 0o646: true, 0o602: true} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		_, err := auth.OpenKeysFile(file, "auth.keysFile", slog.New(slog.DiscardHandler))
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "may be written by everybody") {
			t.Errorf("OpenKeysFile(mode %s) = %v, want it refused: %t", mode, err, refused)
		}
	}
}

// TestAKeyFileThatCannotBeOpenedNeedsNoNewKey has a file where the key file's folder should be.
func TestAKeyFileThatCannotBeOpenedNeedsNoNewKey(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "keys")
	writeAt(t, folder, "", time.Now())
	_, err := auth.OpenKeysFile(filepath.Join(folder, "keys"), "auth.keysFile", slog.New(slog.DiscardHandler))
	if fault.ReasonOf(err) != "CONFIG_INVALID" || !strings.Contains(err.Error(), folder) || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("OpenKeysFile() = %v, want why the file cannot be opened, and no advice to make a key", err)
	}
}

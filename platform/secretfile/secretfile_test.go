package secretfile_test

import (
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/secretfile"
)

// write writes a file with the given modification time.
func write(t *testing.T, file, text string, mode os.FileMode, changed time.Time) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, changed, changed); err != nil {
		t.Fatal(err)
	}
}

func TestAnUnsuitableSecretFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"open": 0o604, "empty": 0o600, "long": 0o600} {
		text := map[string]string{"open": "s3cr3t", "empty": " \n", "long": strings.Repeat("x", 64<<10+1)}[name]
		write(t, filepath.Join(dir, name), text, mode, time.Now())
	}
	for name, want := range map[string]string{
		"open": "chmod 600", "empty": "is empty", "long": "more than 65536 bytes", "none": "no such file", ".": "is not a file",
	} {
		if _, err := secretfile.Open(filepath.Join(dir, name), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, want %q", name, err, want)
		}
	}
}

func TestASecretIsReadAgainWhenItsFileChanges(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		write(t, file, "one\n", 0o600, start)
		var log strings.Builder
		s, err := secretfile.Open(file, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatalf("Open() = %v, want no error", err)
		}
		want := func(text string, since time.Time) {
			t.Helper()
			if got, known := s.Text(); got.Reveal() != text || !known.Equal(since) {
				t.Errorf("Text() = %s, %s, want %s, %s", got.Reveal(), known, text, since)
			}
		}
		write(t, file, "two\n", 0o600, start.Add(time.Second))
		want("one", start) // it was checked a moment ago
		<-time.After(10 * time.Second)
		want("two", start.Add(10*time.Second))

		write(t, file, "three", 0o644, start.Add(time.Minute))
		for range 2 {
			s.Check()
			want("two", start.Add(10*time.Second)) // the previous one stays in use
		}
		write(t, file, "three", 0o600, start.Add(time.Minute))
		s.Check()
		want("three", start.Add(10*time.Second))
		if got := log.String(); strings.Count(got, "level=ERROR") != 1 || strings.Contains(got, "three") {
			t.Errorf("the log is %s, want one error, and no secret", got)
		}
	})
}

func TestACertificateIsReadAgainWhenItsFileChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	if _, err := secretfile.OpenKeyPair(cert, key, nil); err == nil {
		t.Error("OpenKeyPair(of no files) = nil, want an error")
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		authority := certtest.NewAuthority(t)
		renew := func(name string, after time.Duration) {
			c := authority.Issue(t, name)
			write(t, key, string(c.Key), 0o600, start.Add(after))
			write(t, cert, string(c.Cert), 0o600, start.Add(after))
		}
		renew("first", 0)
		write(t, key, string(authority.Key), 0o604, start)
		if _, err := secretfile.OpenKeyPair(cert, key, nil); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("OpenKeyPair(with a key that everybody may read) = %v, want what to do about it", err)
		}
		renew("first", 0)
		var log strings.Builder
		k, err := secretfile.OpenKeyPair(cert, key, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatalf("OpenKeyPair() = %v, want no error", err)
		}
		want := func(name string) {
			t.Helper()
			if got, err := k.Certificate(); err != nil || got.Leaf.Subject.CommonName != name {
				t.Errorf("Certificate() = %v, %v, want the %s", got, err, name)
			}
		}
		renew("second", time.Second)
		want("first") // it was checked a moment ago
		for range 2 { // it has not changed again when it is checked again
			<-time.After(10 * time.Second)
			want("second")
		}
		write(t, cert, "no certificate", 0o600, start.Add(time.Hour))
		for range 2 {
			<-time.After(10 * time.Second)
			want("second")
		}
		if got := log.String(); strings.Count(got, "read again") != 2 || strings.Count(got, "level=ERROR") != 1 {
			t.Errorf("the log is %s, want one renewal and, once, one that failed", got)
		}
	})
}

// TestAFileThatReplacesOneOfTheSameTimeIsRead has files as they are in images, where all have one modification time.
func TestAFileThatReplacesOneOfTheSameTimeIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, cert, key := filepath.Join(dir, "secret"), filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	synctest.Test(t, func(t *testing.T) {
		start, authority := time.Now(), certtest.NewAuthority(t)
		put := func(name string) {
			c := authority.Issue(t, name)
			for file, text := range map[string]string{file: name, key: string(c.Key), cert: string(c.Cert)} {
				write(t, file, text, 0o600, start)
			}
		}
		put("first")
		s, err := secretfile.Open(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, err := secretfile.OpenKeyPair(cert, key, nil)
		if err != nil {
			t.Fatal(err)
		}
		put("second")
		<-time.After(10 * time.Second)
		if text, since := s.Text(); text.Reveal() != "second" || !since.Equal(start.Add(10*time.Second)) {
			t.Errorf("Text() = %s, %s, want the second, from now on", text.Reveal(), since)
		}
		if pair, err := k.Certificate(); err != nil || pair.Leaf.Subject.CommonName != "second" {
			t.Errorf("Certificate() = %v, %v, want the second", pair.Leaf.Subject, err)
		}
	})
}

func TestAKeyWithAPassphraseIsCalledSo(t *testing.T) {
	t.Parallel()
	c := certtest.NewAuthority(t).Issue(t, "current")
	for form, block := range map[string]*pem.Block{
		"PKCS #8":  {Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte{1}},
		"RFC 1421": {Type: "EC PRIVATE KEY", Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,00"}, Bytes: []byte{1}},
	} {
		write(t, c.KeyFile, string(pem.EncodeToMemory(block)), 0o600, time.Now())
		if _, err := secretfile.OpenKeyPair(c.CertFile, c.KeyFile, nil); err == nil || !strings.Contains(err.Error(), c.KeyFile+" needs a passphrase") {
			t.Errorf("OpenKeyPair(with an encrypted key of %s) = %v, want that its file needs a passphrase", form, err)
		}
	}
}

// TestEachTimeThatACertificateCannotBeReadIsLogged has somebody move the file away and put it back, twice: it is the same file with the same time again.
func TestEachTimeThatACertificateCannotBeReadIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := certtest.NewAuthority(t).Issue(t, "current")
		var log strings.Builder
		k, err := secretfile.OpenKeyPair(c.CertFile, c.KeyFile, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatalf("OpenKeyPair() = %v, want no error", err)
		}
		for range 2 {
			for _, move := range [][2]string{{c.CertFile, c.CertFile + ".bak"}, {c.CertFile + ".bak", c.CertFile}} {
				if err := os.Rename(move[0], move[1]); err != nil {
					t.Fatal(err)
				}
				<-time.After(10 * time.Second)
				if got, err := k.Certificate(); err != nil || got.Leaf.Subject.CommonName != "current" {
					t.Errorf("Certificate() = %v, %v, want the current one", got, err)
				}
			}
		}
		if got := log.String(); strings.Count(got, "level=ERROR") != 2 || strings.Count(got, "was read again") != 2 {
			t.Errorf("the log is %s, want two errors, each followed by word that it was read again", got)
		}
	})
}

// TestACertificateThatIsNotValidNowReplacesNone has somebody put back an old file, or one too early, and a server start with it.
func TestACertificateThatIsNotValidNowReplacesNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	synctest.Test(t, func(t *testing.T) {
		authority := certtest.NewAuthority(t)
		put := func(c *certtest.Certificate) {
			<-time.After(10 * time.Second)
			write(t, key, string(c.Key), 0o600, time.Now())
			write(t, cert, string(c.Cert), 0o600, time.Now())
		}
		old := authority.Issue(t, "old")
		<-time.After(61 * 24 * time.Hour)
		current := authority.Issue(t, "current")
		put(current)
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, nil))
		k, err := secretfile.OpenKeyPair(cert, key, logger)
		if err != nil || log.Len() > 0 {
			t.Fatalf("OpenKeyPair() = %v, with the log %s, want neither", err, &log)
		}
		want := func(name, logged string) {
			t.Helper()
			if got, err := k.Certificate(); err != nil || got.Leaf.Subject.CommonName != name || !strings.Contains(log.String(), logged) {
				t.Errorf("Certificate() = %v, %v, with the log %s, want the %s one, and word that it %s", got.Leaf.Subject, err, &log, name, logged)
			}
			log.Reset()
		}
		early := authority.IssueFrom(t, "early", time.Now().Add(time.Minute))
		put(old)
		want("current", "expired at 2000-03-")
		put(current)
		want("current", "was read again")
		put(early)
		want("current", "is not valid before 2000-03-")
		<-time.After(time.Minute) // it is read again although the file has not changed
		want("early", "was read again")
		for _, c := range []*certtest.Certificate{old, authority.IssueFrom(t, "future", time.Now().Add(time.Hour))} {
			put(c)
			log.Reset()
			if _, err := secretfile.OpenKeyPair(cert, key, logger); err != nil || !strings.Contains(log.String(), "level=ERROR") {
				t.Errorf("OpenKeyPair(of one that is not valid now) = %v, with the log %s, want no error, and word of it", err, &log)
			}
		}
	})
}

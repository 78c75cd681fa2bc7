package agentauth_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator/agentauth"
)

func TestTheListIsReadAgainWhenItChanges(t *testing.T) {
	t.Parallel()
	secret, file := write(t, canary), write(t, "")
	entry := func(host string) string {
		return "{origin: 'https://" + host + "', bearer: {token: 'file:" + secret + "'}}"
	}
	a, b := &url.URL{Scheme: "https", Host: "a.example"}, &url.URL{Scheme: "https", Host: "b.example"}
	written := time.Now()
	change := func(entries ...string) {
		rewrite(t, file, "credentials: ["+strings.Join(entries, ",")+"]")
		if err := os.Chtimes(file, written, written); err != nil { // all of one time, as files in images are
			t.Fatal(err)
		}
	}
	change(entry("a.example"))
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c, err := agentauth.Open(agentauth.Config{File: file, Setting: "s", Policy: policy, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatalf("Open() = %v, want no error", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = c.Run(ctx) })
		defer running.Wait()
		defer cancel()
		first := c.For(a)

		change(entry("a.example"), entry("b.example"))
		<-time.After(21 * time.Second)
		if c.For(a) != first || c.For(b) == nil || c.For(b) == first {
			t.Errorf("after an entry was added For() = %v, %v, want the credential of before and another", c.For(a), c.For(b))
		}
		change(entry("b.example"), "{origin: '"+canary+"'}")
		<-time.After(31 * time.Second)
		if c.For(a) != first || c.For(b) == nil {
			t.Errorf("after a mistake For() = %v, %v, want those of before", c.For(a), c.For(b))
		}
		change(entry("b.example"))
		<-time.After(10 * time.Second)
		if c.For(a) != nil || c.For(b) == nil {
			t.Errorf("after an entry was taken away For() = %v, %v, want none and the other", c.For(a), c.For(b))
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		<-time.After(31 * time.Second)
		if c.For(b) == nil {
			t.Error("after the file was deleted For() = nil, want the credential of before")
		}
		cancel()
		running.Wait() // nobody writes to the log any more
		if got := log.String(); strings.Count(got, "level=ERROR") != 2 || strings.Count(got, "read again\"") != 2 || strings.Contains(got, canary) {
			t.Errorf("the log is %s, want two renewals, each mistake once, and no value of the file", got)
		}
	})
}

func TestASecretThatCannotBeReadAgainIsAnErrorOnce(t *testing.T) {
	t.Parallel()
	secret := write(t, canary)
	a := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	var log strings.Builder
	c, err := agentauth.Open(agentauth.Config{
		File: write(t, "credentials: [{origin: '"+a.URL+"', bearer: {token: 'file:"+secret+"'}}]"), Setting: "s", Policy: policy, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if err := os.Remove(secret); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := post(t.Context(), c, a.URL); err != nil {
			t.Errorf("POST = %v, want the secret of before to be sent", err)
		}
	}
	if got := log.String(); strings.Count(got, "level=ERROR") != 1 || !strings.Contains(got, secret) || strings.Contains(got, canary) {
		t.Errorf("the log is %s, want one error that names the file", got)
	}
}

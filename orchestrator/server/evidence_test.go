package server_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/secretfile"
)

func TestAJaegerIsAskedWithItsTokenOverTLSOfItsAuthorities(t *testing.T) {
	t.Parallel()
	const secret = "abc"
	jaeger := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
			t.Errorf("Jaeger was asked with the authorization %q, want the token", got)
		}
		_, _ = io.WriteString(w, `{"result":{}}`)
	}))
	defer jaeger.Close()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	token, err := secretfile.Open(file, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(jaeger.URL)
	if err != nil {
		t.Fatal(err)
	}
	authorities := jaeger.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	e := server.Evidence{Jaeger: server.Jaeger{URL: address, Token: token, Authorities: authorities}}
	if claims, err := e.Backends()[0].Verdicts(t.Context(), consultation.Consultation{TraceID: "1"}); err != nil || len(claims) != 0 {
		t.Errorf("Verdicts() = %v, %v, want none and no error", claims, err)
	}
}

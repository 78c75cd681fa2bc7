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
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
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

func TestWhoMaySendSpansMayDoSoThroughBothDoors(t *testing.T) {
	t.Parallel()
	d := openDoors(t, time.Hour)
	conn, err := grpc.NewClient(d.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for method, rule := range otlp.Rules() {
		for _, role := range rule.Roles {
			key := auth.NewToken("key")
			d.ring.Add(key, auth.Principal{Tenant: auth.DefaultTenant, Name: "sender", Roles: []auth.Role{role}})
			answer := d.call(t, key, http.MethodPost, "/v1/traces", "{}", "")
			answer.Body.Close()
			ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+key.Reveal())
			if err := conn.Invoke(ctx, method, &emptypb.Empty{}, &emptypb.Empty{}); err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("spans of a caller with the role %s: %d over HTTP, %v over gRPC, want both taken", role, answer.StatusCode, err)
			}
		}
	}
}

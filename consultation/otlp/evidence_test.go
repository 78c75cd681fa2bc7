package otlp_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/evidencetest"
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/boltdb"
)

func TestEvidenceComesThroughTheReceiver(t *testing.T) {
	t.Parallel()
	evidencetest.Run(t, func(t *testing.T, o consultation.LedgerOptions) evidencetest.Way {
		t.Helper()
		db, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
		if err != nil {
			t.Fatalf("Open() = %v, want no error", err)
		}
		t.Cleanup(func() { _ = db.Close() })
		ledger := consultation.NewLedger(embedded.New(db), o)
		r, err := otlp.New(ledger, otlp.Options{})
		if err != nil {
			t.Fatalf("New() = %v, want no error", err)
		}
		receiver := r.HTTPHandler()
		return evidencetest.Way{
			Ledger: ledger, Level: consultation.LevelRecorded,
			Export: func(t *testing.T, traces ptrace.Traces) {
				t.Helper()
				export(t, receiver, evidencetest.Target, traces)
			},
		}
	})
}

// export sends traces with the credential of an agent.
func export(t *testing.T, receiver http.Handler, agent string, traces ptrace.Traces) {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	if err != nil {
		t.Fatalf("MarshalProto() = %v, want no error", err)
	}
	ctx := auth.NewContext(t.Context(), auth.Principal{Tenant: evidencetest.Tenant, Name: agent, Roles: []auth.Role{auth.RoleAgent}})
	request := httptest.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, "/v1/traces", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/x-protobuf")
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		t.Fatalf("POST /v1/traces = %d %s, want 200", answer.Code, answer.Body)
	}
}

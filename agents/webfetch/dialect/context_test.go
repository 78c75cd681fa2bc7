package dialect_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/agents/webfetch/dialect"
)

func TestTheContextIsInTheLog(t *testing.T) {
	f, err := webfetch.New(webfetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	var log bytes.Buffer
	handler := dialect.Wrap(f, slog.New(slog.NewTextHandler(&log, nil)))(http.NotFoundHandler())
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(execute("http://example.com/"))))
	if got := log.String(); !strings.Contains(got, "level=INFO msg=execute_task correlation_id=c1 thread_ts=17.5") {
		t.Errorf("the log is %q, want the context of the task", got)
	}
}

package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const maxHealth = 64 << 10 // bytes of an answer about health that are read

// Health is what a Quorate answers at /healthz or /readyz.
type Health struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks"` // what is wrong with each part, or ok

	TLS  *tls.ConnectionState `json:"-"` // nil without TLS
	Date time.Time            `json:"-"` // of the answer; zero if it has none
	At   time.Time            `json:"-"` // by our own clock
}

// Ask asks the server at url for its health; host is the host name in the request, if that is not the one in url. An error says that nobody answers, or another program.
func Ask(ctx context.Context, transport http.RoundTripper, url, host string) (*Health, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Host = host
	response, err := transport.RoundTrip(request) // follows no redirect
	if err != nil {
		return nil, err
	}
	h := &Health{TLS: response.TLS, At: time.Now()}
	h.Date, _ = http.ParseTime(response.Header.Get("Date"))
	body, err := io.ReadAll(io.LimitReader(response.Body, maxHealth))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, h); err != nil || h.Status == "" {
		return nil, fmt.Errorf("it answered %s in a form that is not Quorate's", response.Status)
	}
	return h, nil
}

// Ready looks at an answer at /readyz.
func (h *Health) Ready() Finding {
	if h.Status == "ready" {
		return Found("the server is ready")
	}
	var parts []string
	for name, problem := range h.Checks {
		if problem != "ok" {
			parts = append(parts, name+": "+problem)
		}
	}
	slices.Sort(parts)
	return Failed(fmt.Errorf("the server is %s: %s", h.Status, strings.Join(parts, "; ")), "look for lines at level error in the server's log")
}

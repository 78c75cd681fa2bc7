package a2aedge

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
)

// AnnouncePath is where agents send push notifications about their tasks. Each attempt has a URL of its own: a token follows the path.
const AnnouncePath = "/a2a/announcements/"

const announceScope = "a2a announcement"

// Announcements are the receivers of push notifications from agents: one URL for each attempt, which nobody can guess.
type Announcements struct {
	Base  string // of our HTTP server, as agents reach it; empty: agents get no receiver
	Pages *page.Codec
}

// Receiver returns the URL for an attempt of a task, or "" when agents cannot reach us.
func (a *Announcements) Receiver(k orchestrator.Key, attempt int) string {
	if a.Base == "" {
		return ""
	}
	return a.Base + AnnouncePath + a.Pages.Encode(announceScope, []byte(strings.Join([]string{k.Tenant, k.ID, strconv.Itoa(attempt)}, "\x00")))
}

func (a *Announcements) read(token string) (k orchestrator.Key, attempt int, ok bool) {
	raw, err := a.Pages.Decode(announceScope, token)
	parts := strings.Split(string(raw), "\x00")
	if err != nil || len(parts) != 3 {
		return k, 0, false
	}
	attempt, err = strconv.Atoi(parts[2])
	return orchestrator.Key{Tenant: parts[0], ID: parts[1]}, attempt, err == nil
}

// Handler returns the handler for AnnouncePath{token}. It calls announced for each request with a valid token, and throws away all of the body.
func (a *Announcements) Handler(announced func(ctx context.Context, k orchestrator.Key, attempt int) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, attempt, ok := a.read(r.PathValue("token"))
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // it may be a whole task, for which the agent is asked instead
		switch err := announced(r.Context(), k, attempt); {
		case err == nil:
			w.WriteHeader(http.StatusNoContent)
		case fault.KindOf(err) == fault.NotFound:
			w.WriteHeader(http.StatusNotFound)
		default:
			w.WriteHeader(http.StatusServiceUnavailable) // the agent may try again
		}
	})
}

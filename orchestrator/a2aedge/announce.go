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

// AnnouncePath is where agents announce what becomes of their tasks, each attempt with a token of its own behind.
const AnnouncePath = "/a2a/announcements/"

const (
	announceScope   = "a2a announcement"
	maxAnnouncement = 4 << 20 // read and thrown away: the agent is asked
)

// Announcements are the receivers of what agents announce: for each attempt a URL that nobody can guess.
type Announcements struct {
	Base  string // of our HTTP as agents reach it; empty: they are not told of any receiver
	Pages *page.Codec
}

// Receiver returns the URL for an attempt of a task; empty when agents cannot reach us.
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

// Handler returns what takes announcements at AnnouncePath{token}; announced is told of each that has a token of ours.
func (a *Announcements) Handler(announced func(ctx context.Context, k orchestrator.Key, attempt int) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k, attempt, ok := a.read(r.PathValue("token"))
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.CopyN(io.Discard, r.Body, maxAnnouncement) // so that the connection can be used again
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

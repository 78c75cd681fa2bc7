package browser

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

const (
	settleTime = 300 * time.Millisecond // without a change of the page's length
	maxSettle  = 5 * time.Second
	maxPending = 1000 // requests that are followed; a page can make them without end
)

// requests are those that the scripts of a page have made, without those that are answered. What a page shows meanwhile may be that it is loading.
type requests struct {
	mu   sync.Mutex
	open map[network.RequestID]struct{} // guarded by mu
}

// watchRequests follows the requests of the page in tab from now on.
func watchRequests(tab context.Context) (*requests, error) {
	r := &requests{open: make(map[network.RequestID]struct{})}
	if err := chromedp.Listen(tab, r.note); err != nil {
		return nil, fmt.Errorf("follow its requests: %w", err)
	}
	return r, nil
}

func (r *requests) note(event any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.LoaderID == "" {
			return // a worker's script, which is no document's, and of which the page does not hear that it has come
		}
		switch e.Type {
		case network.ResourceTypeFetch, network.ResourceTypeXHR, network.ResourceTypeScript:
			if len(r.open) < maxPending {
				r.open[e.RequestID] = struct{}{}
			}
		default: // pictures and the like are no text, and streams never end
		}
	case *network.EventLoadingFinished:
		delete(r.open, e.RequestID)
	case *network.EventLoadingFailed:
		delete(r.open, e.RequestID)
	}
}

// answered reports whether nothing is open.
func (r *requests) answered() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open) == 0
}

// length is an expression of JavaScript for the length of markup, negative while readers see no text. A page can replace what it asks for.
const length = `((html, body) => typeof html != 'string' ? 0 : html.includes('<template shadowroot') || body && /\S/.test(body.innerText) ? html.length : -html.length)(` +
	markup + `, document.body)`

// settle waits until the page no longer grows, has text, and no request is open; it stops when the fetch is nearly over. A page can replace what
// markup asks for, so only numbers are accepted here, and a string by the caller: anything else would be unbounded. While a script or a refresh leads to
// another page, nothing can be asked.
func settle(tab context.Context, pending *requests) error {
	ticker := time.NewTicker(settleTime)
	defer ticker.Stop()
	enough, over := time.After(maxSettle), nearlyOver(tab)
	for before := -1; ; {
		answered := pending.answered()
		now, err := chromedp.Run(tab, chromedp.Evaluate[int](length))
		if err == nil && answered && now == before && now > 0 {
			return nil
		}
		if before = now; !answered { // what the answer does to the page is still to come
			before = -1
		}
		select {
		case <-ticker.C:
		case <-enough:
			return err
		case <-over:
			return err
		case <-tab.Done():
			return context.Cause(tab)
		}
	}
}

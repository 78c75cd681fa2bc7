package webfetch

import (
	"context"
	"net"
	"net/url"
	"time"

	"github.com/quorate/quorate/platform/netguard"
)

// DialThrough dials addr through a proxy whose answer is waited for as long as patience.
func DialThrough(ctx context.Context, proxy *url.URL, addr string, patience time.Duration) (net.Conn, error) {
	t, err := newTunnel(&netguard.Policy{}, proxy)
	if err != nil {
		return nil, err
	}
	t.patience = patience
	return t.dial(ctx, "tcp", addr)
}

// WaitForRobots has f wait as long as patience for a robots.txt.
func WaitForRobots(f *Fetcher, patience time.Duration) { f.robots.patience = patience }

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

// TakeLarge takes what conversions of large bodies wait for, until giveBack is called.
func TakeLarge(f *Fetcher) (giveBack func()) {
	for range maxLarge {
		f.large <- struct{}{}
	}
	return func() {
		for range maxLarge {
			<-f.large
		}
	}
}

// Codes returns every code that has a fixed message, in no particular order.
func Codes() []Code {
	list := []Code{CodeCanceled, CodeInternal}
	seen := map[Code]bool{}
	for _, code := range codes {
		if !seen[code] {
			seen[code] = true
			list = append(list, code)
		}
	}
	return list
}

// JapaneseMessages has the texts by code.
var JapaneseMessages = japaneseMessages

package browser

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// partsTime is how long pictures, frames and late scripts may take once the document itself is read and its scripts ran. Some never end, such as a
// tracking pixel of a server that is away, and the text does not wait for them.
const partsTime = 10 * time.Second

// lastMoments are kept for reading what has come, before the time of the fetch ends.
const lastMoments = 5 * time.Second

// load opens address in tab, and returns the answer of its server once the page is loaded, or its parts have had their time. It is unfinished if the document
// would not have been read in time, such as for a script that never comes: in its last moments the page goes on without what has not come.
func load(tab context.Context, proxy *proxy, address string) (answer *network.Response, unfinished bool, err error) {
	var stopping sync.WaitGroup
	loading, loaded := context.WithCancel(tab)
	reading, read := context.WithCancel(loading)
	arrived, parsed := chromedp.Events(loading, page.FrameNavigated), chromedp.Events(loading, page.DomContentEventFired)
	stopping.Go(func() {
		if !happens(parsed) {
			return
		}
		read()
		select {
		case <-time.After(partsTime):
			_, _ = chromedp.Call(loading, page.StopLoading, cdp.Empty{}) // when the page has just gone, loading ends by itself
		case <-loading.Done():
		}
	})
	stopping.Go(func() {
		if !happens(arrived) { // before that, there is nothing to be read
			return
		}
		select {
		case <-nearlyOver(tab):
			unfinished = reading.Err() == nil
			proxy.cancel()
		case <-loading.Done():
		}
	})
	answer, err = chromedp.Run(tab, chromedp.NavigateResponse(address))
	loaded()
	stopping.Wait()
	read()
	return answer, unfinished, err
}

// happens waits for the first of events, and reports whether there was one.
func happens[E any](events iter.Seq2[E, error]) bool {
	for _, err := range events {
		return err == nil
	}
	return false
}

// nearlyOver returns a channel that is sent to in the last moments of ctx, or last third of what is left of it.
func nearlyOver(ctx context.Context) <-chan time.Time {
	end, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	left := time.Until(end)
	return time.After(left - min(lastMoments, left/3))
}

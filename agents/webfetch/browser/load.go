package browser

import (
	"context"
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

// load opens address in tab, and returns the answer of its server once the page is loaded, or its parts have had their time.
func load(tab context.Context, address string) (*network.Response, error) {
	var stopping sync.WaitGroup
	defer stopping.Wait()
	loading, loaded := context.WithCancel(tab)
	defer loaded()
	read := chromedp.Events(loading, page.DomContentEventFired)
	stopping.Go(func() {
		for _, err := range read {
			if err != nil {
				return
			}
			select {
			case <-time.After(partsTime):
				_, _ = chromedp.Call(loading, page.StopLoading, cdp.Empty{}) // when the page has just gone, loading ends by itself
			case <-loading.Done():
			}
			return
		}
	})
	return chromedp.Run(tab, chromedp.NavigateResponse(address))
}

package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/chromedp"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
)

var errCrashed = errors.New("the page crashed")

// untilCrash returns a context that ends as tab does, and with errCrashed as its cause when the page crashes: then Chromium leaves what is asked unanswered.
func untilCrash(tab context.Context) (context.Context, error) {
	alive, end := context.WithCancelCause(tab)
	err := chromedp.Listen(tab, func(event any) {
		if _, ok := event.(*inspector.EventTargetCrashed); ok {
			end(errCrashed)
		}
	})
	if err != nil {
		end(err)
		return nil, fmt.Errorf("watch the page: %w", err)
	}
	return alive, nil
}

// crashed returns the fault for a page that crashes. It would do so again.
func crashed() error {
	return fault.New(fault.FailedPrecondition, webfetch.ReasonRender, "it crashed in the browser, as pages do that take more than %d MiB of memory; leave render out", maxMemory>>20)
}

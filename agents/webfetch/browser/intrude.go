package browser

import (
	"context"
	"fmt"
	"iter"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// refuseDownloads keeps pages from writing files.
func refuseDownloads(tab context.Context) error {
	_, err := chromedp.CallBrowser(tab, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny})
	if err != nil {
		return fmt.Errorf("refuse downloads: %w", err)
	}
	return nil
}

// dismiss closes the dialogs of alert, confirm and prompt, which would stop the page until they are answered. It ends with the tab.
func dismiss(tab context.Context, opened iter.Seq2[page.EventJavascriptDialogOpening, error]) {
	for _, err := range opened {
		if err == nil {
			_, err = chromedp.Call(tab, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}
		if err != nil && tab.Err() != nil {
			return
		}
	}
}

package extract

import (
	"context"
	"regexp"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// noscriptTag matches the tags of the elements that browsers show when they run no scripts.
var noscriptTag = regexp.MustCompile(`(?i)(</?)noscript\b`)

// withoutScripts returns the tree of the page as a browser without scripts shows it, if most of its text is there: forums write their threads there for
// search engines, and have a script write them for readers. What asks readers to turn scripts on is much shorter. ok is false for all other pages, and
// for those that would take too much work to parse again.
func withoutScripts(ctx context.Context, root *html.Node, page string) (shown *html.Node, size cost, ok bool) {
	body := find(root, atom.Body)
	if body == nil {
		return nil, cost{}, false
	}
	said := 0
	for n := range body.Descendants() {
		if n.DataAtom == atom.Noscript {
			said += squeezedSize(tokenText(textOf(n))) // the parser reads no tags there
		}
	}
	if said <= maxHiddenText || said <= textSize(body, isHidden) {
		return nil, cost{}, false
	}
	shown, size, err := parse(ctx, noscriptTag.ReplaceAllString(page, "${1}div"))
	return shown, size, err == nil
}

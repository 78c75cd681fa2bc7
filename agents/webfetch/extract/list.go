package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// keepLists keeps items of lists that were lost: of a list between kept text that a kept heading announces, or of which half was kept. The libraries
// drop items that are short or hold a control, such as the ingredients of a recipe. Lists of links are left to them.
func keepLists(runs []run, kept map[*html.Node]bool) {
	last := -1
	for i, r := range runs {
		if r.kept(kept) {
			last = i
		}
	}
	for i := 0; i < last; i++ {
		list := outermostList(runs[i].nodes[0])
		if list == nil {
			continue
		}
		end := i + 1
		for end <= last && outermostList(runs[end].nodes[0]) == list {
			end++
		}
		announced := i > 0 && subheads(runs[i-1]) && runs[i-1].kept(kept)
		if !inSideContent(list) {
			keepItems(runs[i:end], kept, announced)
		}
		i = end - 1
	}
}

// keepItems keeps the items in runs, which are a list, of which nothing was kept, if the list is announced or half of it was kept.
func keepItems(runs []run, kept map[*html.Node]bool, announced bool) {
	size, known, linked := 0, 0, 0
	begun := map[*html.Node]bool{} // items of which something was kept: the rest of them was dropped for a reason
	for _, r := range runs {
		size, linked = size+len(r.text), linked+r.linked(anyLink)
		if r.kept(kept) {
			known += len(r.text)
			begun[closest(r.nodes[0], atom.Li)] = true
		}
	}
	if linked*2 > size || !announced && known*2 < size {
		return
	}
	for _, r := range runs {
		if !begun[closest(r.nodes[0], atom.Li)] {
			keepRun(r, kept)
		}
	}
}

// outermostList returns the list around n that is in no other list, or nil.
func outermostList(n *html.Node) (list *html.Node) {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
			list = n
		}
	}
	return list
}

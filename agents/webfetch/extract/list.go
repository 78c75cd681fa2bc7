package extract

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// keepLists keeps items of lists that were lost: of a list between kept text that a heading announces, of which half was kept, or that stands among kept
// paragraphs. The libraries drop items that are short or hold a control, such as the ingredients of a recipe, and all lists of a page in which
// they find nothing but paragraphs. Lists of links are left to them.
func keepLists(runs []run, kept map[*html.Node]bool) {
	first, last := slices.IndexFunc(runs, func(r run) bool { return r.kept(kept) }), lastKept(runs, kept)
	for i := 0; i < last; i++ {
		list := outermostList(runs[i].nodes[0])
		if list == nil {
			continue
		}
		end := i + 1
		for end <= last && outermostList(runs[end].nodes[0]) == list {
			end++
		}
		announced := i > first && subheads(runs[i-1]) && !announcesSideContent(runs[i-1]) && list.DataAtom != atom.Dl // which also holds credits
		wanted := announced || among(runs, i, end, kept)
		if !inSideContent(list) && !named(list, captionWords) {
			keepItems(runs[i:end], kept, wanted)
		}
		i = end - 1
	}
}

// maxBetween is the maximum number of headings and items between a list and text.
const maxBetween = 40

// among reports whether the list in runs[begin:end] stands behind kept text in the same element and before more of it, or at the element's end, not
// counting headings, other lists and, behind it, links.
func among(runs []run, begin, end int, kept map[*html.Node]bool) bool {
	around := blockAround(outermostList(runs[begin].nodes[0]))
	next := func(i, step int) bool {
		for range maxBetween {
			i += step
			if i < 0 || i >= len(runs) {
				return false
			}
			block := blockOf(runs[i])
			switch {
			case step > 0 && !isIn(block, around):
				return true // the list ends the element, and there is more text behind it
			case runs[i].kept(kept):
				return block == around || blockAround(block) == around
			case step > 0 && block == around && mostlyLinks(runs[i]): // what readers are to do about the list
			case blockAround(block) != around || !subheads(runs[i]) && !isList(block):
				return false
			}
		}
		return false
	}
	return next(begin, -1) && next(end-1, 1)
}

// isIn reports whether n is around, or in it.
func isIn(n, around *html.Node) bool {
	for n != nil && n != around {
		n = n.Parent
	}
	return n == around
}

// blockOf returns the list that r is in, or else the block that it is.
func blockOf(r run) *html.Node {
	if list := outermostList(r.nodes[0]); list != nil {
		return list
	}
	return blockAround(r.nodes[0])
}

// blockAround returns the nearest element around n that is not inside a line.
func blockAround(n *html.Node) *html.Node {
	for n = n.Parent; n != nil && inLine(n); {
		n = n.Parent
	}
	return n
}

// keepItems keeps the items in runs, which are a list, of which nothing was kept, if the list is wanted or half of it was kept.
func keepItems(runs []run, kept map[*html.Node]bool, wanted bool) {
	size, known, linked := 0, 0, 0
	begun := map[*html.Node]bool{} // items of which something was kept: the rest of them was dropped for a reason
	for _, r := range runs {
		size, linked = size+len(r.text), linked+r.linked(anyLink)
		if r.kept(kept) {
			known += len(r.text)
			begun[closest(r.nodes[0], atom.Li)] = true
		}
	}
	if linked*2 > size || !wanted && known*2 < size {
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
		if isList(n) {
			list = n
		}
	}
	return list
}

func isList(n *html.Node) bool {
	return n.DataAtom == atom.Ul || n.DataAtom == atom.Ol || n.DataAtom == atom.Dl
}

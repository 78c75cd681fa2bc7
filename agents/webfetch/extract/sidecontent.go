package extract

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropSideContent removes from root what is not part of the content according to its class or id: related stories, comments, newsletters. Both
// libraries know such names, but each applies them only in some cases, and neither to the result of the other.
//
// Names can mislead: a forum may consist of comments only, and the element with the content may be named sidebar. So nothing is removed that contains
// a first-level heading or more than a third of the visible bytes, nor what begins with a quotation: a post of a social network. If together
// is set, neither are elements of one class that together hold more: those with what each of the people on a page does, for example. It is not set for
// articles, nor for threads, which may have more remarks than posts.
//
// Measured on 983 pages of trafilatura's evaluation: F1 is 0.918 without and 0.925 with it, in a tenth less CPU time, since the libraries have less
// to read. Leaving out any one group of words changes F1 by at most 0.002.
func dropSideContent(root *html.Node, visible int, together bool) {
	s := sideContent{most: visible / 3, together: map[string]int{}}
	if together {
		s.add(root)
	}
	s.drop(root)
}

// sideContent drops what its names say is beside the content of a page.
type sideContent struct {
	most     int            // bytes of what may be dropped
	together map[string]int // bytes of all elements of a class
}

// add adds the sizes of side content below n to those of its classes, and returns how many bytes of text n has.
func (s *sideContent) add(n *html.Node) (size int) {
	if n.Type == html.TextNode {
		return squeezedSize(n.Data)
	}
	for child := range n.ChildNodes() {
		size += s.add(child)
	}
	if class := attribute(n, "class"); class != "" && namesSideContent(n) {
		s.together[class] += size
	}
	return size
}

// drop removes side content below n. It returns how many bytes of text n had, and whether a first-level heading was among it.
func (s *sideContent) drop(n *html.Node) (size int, title bool) {
	if n.Type == html.TextNode {
		return squeezedSize(n.Data), false
	}
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		bytes, titled := s.drop(child)
		size, title = size+bytes, title || titled
		if namesSideContent(child) && !titled && max(bytes, s.together[attribute(child, "class")]) <= s.most && !beginsWithQuotation(child) {
			n.RemoveChild(child)
		}
		child = next
	}
	return size, title || n.DataAtom == atom.H1
}

// namesSideContent reports whether the class or id of n names something beside the content.
func namesSideContent(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.A, atom.Td, atom.Th, atom.Tr:
		return false // their classes describe the page, or removing them would break the structure around them
	default:
		return n.Type == html.ElementNode && named(n, sideWords)
	}
}

// sideWords are words in classes. Some similar words are left out because content has them too: share, teaser, promo, banner, widget, menu,
// meta.
var sideWords = wordSet(`related recommended recommendations newsletter newsletters subscribe shares sharedaddy social sociable
	socials comments commentlist disqus respond nocomments recentcomments sidebar breadcrumb breadcrumbs cookie cookies consent gdpr footer
	advert advertisement ads sponsor sponsored taboola outbrain pagination pager popup modal noprint author authorbox bio disclosure copyright
	catlinks printfooter editsection`)

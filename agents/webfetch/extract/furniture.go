package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// dropFurniture removes from root what its class or id says is no part of the content: related stories, comments, newsletters. Both
// libraries know such names, each applies them in only some of its ways, and neither to what the other one found.
//
// Names also lie: comments may be all there is in a forum, and a sidebar may be named where the content is. So nothing goes that
// holds a heading of the first level or more than a third of the visible bytes.
//
// Measured on 983 pages of trafilatura's evaluation: F1 0.918 without, 0.925 with it, and a tenth less CPU time, as the libraries have less
// to read. A share of a third lets pass what is the content; leaving any one group of words out changes F1 by 0.002 at most.
func dropFurniture(root *html.Node, visible int) { dropBeside(root, visible) }

// dropBeside does so below n, and returns how many bytes of text n held and whether a heading of the first level was among it.
func dropBeside(n *html.Node, visible int) (size int, title bool) {
	if n.Type == html.TextNode {
		return squeezedSize(n.Data), false
	}
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		s, t := dropBeside(child, visible)
		size, title = size+s, title || t
		if furniture(child) && !t && s*3 <= visible {
			n.RemoveChild(child)
		}
		child = next
	}
	return size, title || n.DataAtom == atom.H1
}

// furniture tells whether the class or id of n names something that stands beside the content.
func furniture(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.A, atom.Td, atom.Th, atom.Tr:
		return false // their classes are about the page, or taking them out would break what is around them
	default:
		return n.Type == html.ElementNode && named(n, furnitureWords)
	}
}

// furnitureWords are words of classes. Some that look alike are left out, because they stand at content, too: share, teaser, promo,
// banner, widget, menu, meta.
var furnitureWords = wordSet(`related recommended recommendations newsletter newsletters subscribe shares sharedaddy social sociable
	socials comments commentlist disqus respond nocomments recentcomments sidebar breadcrumb breadcrumbs cookie cookies consent gdpr footer
	advert advertisement ads sponsor sponsored taboola outbrain pagination pager popup modal noprint author authorbox bio disclosure copyright`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// named tells whether a class or the id of n has one of words in it.
func named(n *html.Node, words map[string]bool) bool {
	for i := range n.Attr {
		if n.Attr[i].Key != "class" && n.Attr[i].Key != "id" {
			continue
		}
		for name := range strings.FieldsSeq(n.Attr[i].Val) {
			if hasWord(name, words) {
				return true
			}
		}
	}
	return false
}

// maxClass bounds the classes that are read, in bytes. Longer ones are made by machines.
const maxClass = 80

// hasWord tells whether name, such as "article-comments" or "articleComments", has one of words in it.
func hasWord(name string, words map[string]bool) bool {
	if len(name) > maxClass {
		return false
	}
	begin := 0
	for i := 0; i <= len(name); i++ {
		switch {
		case i == len(name) || name[i] == '-' || name[i] == '_' || name[i] == ':':
		case i > begin && upper(name[i]) && !upper(name[i-1]):
		default:
			continue
		}
		word := strings.ToLower(name[begin:i])
		if begin == 0 && qualifiers[word] {
			return false
		}
		if words[word] {
			return true
		}
		begin = i
		if i < len(name) && !upper(name[i]) {
			begin++
		}
	}
	return false
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// qualifiers begin a class that says something else about an element than what it is: has-sidebar, category-social.
var qualifiers = wordSet("has no not with without is tag category type")

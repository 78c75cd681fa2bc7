package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxImages is the maximum number of images that are written. Each costs as much as a paragraph.
const maxImages = 20_000

// prepare makes n ready to be written: it removes invisible characters, links that no reader can follow (javascript:, data:) and everything that a
// browser would run, makes links and images absolute, and puts the language of code where converters look for it.
func (c *Content) prepare(n *html.Node, base *url.URL) {
	c.cleanTree(n)
	if !prepared(n, base) {
		c.warn(WarnIncomplete)
	}
}

// prepared does what comes after cleaning, and reports whether all links and images are still there.
func prepared(content *html.Node, base *url.URL) (complete bool) {
	complete = dropUnwritten(content)
	languages := map[*html.Node]string{} // languages of code, which elements around it name; their attributes are dropped below
	said := map[*html.Node]string{}      // by each of these elements
	for n := range content.Descendants() {
		if n.DataAtom == atom.Pre {
			languages[n] = codeLanguage(n, said)
		}
	}
	plainElement(content)
	keepAttributes(content)
	left := maxLinks
	for n := range content.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		plainElement(n)
		name, link := addressOf(n)
		keepAttributes(n)
		if left > 0 { // resolving is the expensive part
			if link, ok := resolve(base, link); ok {
				left -= len(link) + len(base.Path) // a long base makes resolving slow
				n.Attr = append(n.Attr, html.Attribute{Key: name, Val: link})
			}
		}
		if language := languages[n]; language != "" {
			marked := n
			if code := n.FirstChild; code != nil && code.DataAtom == atom.Code {
				marked = code // as in CommonMark's own HTML
			}
			setAttribute(marked, "class", "language-"+language)
		}
	}
	return complete && left > 0
}

// addressOf returns where a link leads or an image is, and the attribute that says so. Other elements have no address.
func addressOf(n *html.Node) (attr, address string) {
	switch n.DataAtom {
	case atom.A:
		return "href", attribute(n, "href")
	case atom.Img:
		return "src", imageSource(n)
	default:
		return "", ""
	}
}

// dropUnwritten removes what has no form in any format, and images beyond maxImages. It returns false if there were such images.
func dropUnwritten(content *html.Node) bool {
	images := 0
	removeWhere(content, func(n *html.Node) bool {
		if n.DataAtom == atom.Img {
			images++
		}
		return unwritten(n) || n.DataAtom == atom.Img && images > maxImages
	})
	return images <= maxImages
}

// unwritten reports whether n has no form in any format.
func unwritten(n *html.Node) bool {
	return n.Type == html.CommentNode || n.DataAtom == atom.Source || n.DataAtom == atom.Style || n.DataAtom == atom.Link || n.DataAtom == atom.Meta ||
		n.DataAtom == atom.Title || isControl(n)
}

// imageSource returns the address of an image. Pages that load images late have it in another attribute than that of the placeholder, which may be an
// image, too.
func imageSource(img *html.Node) string {
	for _, name := range []string{"data-src", "data-original", "data-lazy-src", "src", "data-orig-file", "srcset", "data-srcset"} {
		address := strings.TrimSpace(attribute(img, name))
		if end := strings.IndexAny(address, " \t\r\n\f"); end >= 0 && strings.HasSuffix(name, "srcset") { // has a list of them, each with its size
			address = strings.TrimSuffix(address[:end], ",")
		}
		if address != "" && !strings.HasPrefix(address, "data:") {
			return address
		}
	}
	return ""
}

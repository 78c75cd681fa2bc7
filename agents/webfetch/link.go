package webfetch

import (
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// Bounds of resolved links: a long base repeated in each of many short links would make a small page large.
const (
	maxLink  = 4096    // bytes of one
	maxLinks = 4 << 20 // bytes of all, after which links are dropped
)

// baseURL returns what relative links start from.
func baseURL(doc *goquery.Document, page *url.URL) *url.URL {
	href, _ := doc.Find("base[href]").First().Attr("href")
	u, err := page.Parse(strings.TrimSpace(href))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(u.String()) > maxLink {
		return page
	}
	return u
}

// absolute makes every link and image of content absolute, and drops those that no reader can follow, such as javascript: and data:.
func absolute(content *goquery.Selection, base *url.URL) {
	left := maxLinks
	for _, attr := range []string{"href", "src"} {
		content.Find("[" + attr + "]").Each(func(_ int, s *goquery.Selection) {
			if left <= 0 {
				s.RemoveAttr(attr)
				return
			}
			link, ok := resolve(base, s.AttrOr(attr, ""))
			if !ok {
				s.RemoveAttr(attr)
				return
			}
			left -= len(link)
			s.SetAttr(attr, link)
		})
	}
	content.Find("[srcset], [style]").RemoveAttr("srcset").RemoveAttr("style")
}

func resolve(base *url.URL, raw string) (link string, ok bool) {
	if len(raw) > maxLink {
		return "", false
	}
	u, err := base.Parse(strings.TrimSpace(raw))
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "http", "https", "mailto", "tel":
		link = u.String()
		return link, len(link) <= 2*maxLink
	}
	return "", false
}

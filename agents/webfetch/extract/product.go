package extract

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxFacts is the maximum number of runs that are kept between the name of a product and its description.
const maxFacts = 40

// keepFacts keeps what the page of a product says from its name up to its description: the price, what is in stock, the features in short. The
// libraries look for sentences and drop it.
func keepFacts(runs []run, kept map[*html.Node]bool, about Metadata) {
	name := slices.IndexFunc(runs, func(r run) bool { return r.within(atom.H1) })
	if name < 0 || !about.isProduct(runs[name].nodes[0]) {
		return
	}
	facts := runs[name:min(len(runs), name+maxFacts)]
	for i, r := range facts {
		if i > 0 && r.kept(kept) {
			facts = facts[:i]
			break
		}
	}
	if !slices.ContainsFunc(runs[name+len(facts):], func(r run) bool { return r.kept(kept) }) {
		return // the text is somewhere else
	}
	for _, r := range facts {
		if !mostlyLinks(r) && !inSideContent(r.nodes[0]) {
			keepRun(r, kept)
		}
	}
}

// isProduct reports whether the page with a title is about a product that it sells, rather than an article about one. In its markup, that is said around
// the title: on the page of a category, each entry is a product.
func (m Metadata) isProduct(title *html.Node) bool {
	if m.isArticle() || slices.Contains(m.JSONLDTypes, "Review") {
		return false
	}
	if strings.HasPrefix(m.Type, "product") || slices.Contains(m.JSONLDTypes, "Product") || slices.Contains(m.JSONLDTypes, "ProductGroup") {
		return true
	}
	for p := title.Parent; p != nil; p = p.Parent {
		if itemType(p) == "Product" {
			return true
		}
	}
	return false
}

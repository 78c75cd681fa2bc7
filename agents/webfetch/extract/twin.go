package extract

import "golang.org/x/net/html"

// maxTwin is the maximum length of classes by which elements are taken for alike, in bytes: they are compared with those around each run.
const maxTwin = 200

// keepTwins keeps the elements that are like the one in which all kept text is, if there is more in them: the other posts of a thread. Of some classes,
// such as content and post-text, go-trafilatura takes the first element for all there is. On a page that is an article, the first one may be.
func keepTwins(page *html.Node, runs []run, kept map[*html.Node]bool) {
	p := pruner{kept: kept, counts: map[*html.Node]int{}}
	one := p.lowest(page, p.count(page))
	class := attribute(one, "class")
	if class == "" || len(class) > maxTwin {
		return
	}
	var twins []run
	size, linked, first := 0, 0, 0 // bytes; first has those of one
	for _, r := range runs {
		switch twin := like(one, class, r.nodes[0]); {
		case twin == nil:
		case twin == one:
			first += len(r.text)
		case !inSideContent(twin):
			twins, size, linked = append(twins, r), size+len(r.text), linked+r.linked(anyLink)
		}
	}
	if size < first || linked*2 > size {
		return
	}
	for _, r := range twins {
		keepRun(r, kept)
	}
}

// like returns the outermost element around n that has the name and the class of one, or nil.
func like(one *html.Node, class string, n *html.Node) (twin *html.Node) {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == one.DataAtom && attribute(p, "class") == class {
			twin = p
		}
	}
	return twin
}

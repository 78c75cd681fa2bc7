package extract

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/ledongthuc/pdf"
)

// pdfPaper is what a page is drawn on, and what its operators name.
type pdfPaper struct {
	box       []float64 // left, bottom, right, top; none when it is not known
	layers    pdfLayers
	resources pdf.Value           // of the page, or of the form on it that is drawn
	fonts     map[string]*pdfFont // by their names in the resources
	fontRefs  map[string]string   // to the objects of fonts, by name
	refs      map[string]string   // of the properties to objects, by name
	hidden    map[string]bool     // of properties, by name: to read them takes long
	clear     map[string]bool     // of graphics states, by name: whether they are without colour
	forms     map[string]*pdfForm // by name; nil for pictures
}

// pdfLayers tells which layers are not shown, by their objects. The zero value shows all.
type pdfLayers struct {
	listed   map[string]bool
	shown    bool // whether those that are listed are the ones that are shown
	optional bool // whether the file has layers
}

// objectRef is how the library writes a reference to an object, which it tells in no other way.
var (
	objectRef = regexp.MustCompile(`[0-9]+ [0-9]+ R`)
	namedRef  = regexp.MustCompile(`/([^\s/<>\[\]()]+) ([0-9]+ [0-9]+ R)`)
)

func layersOf(doc *pdf.Reader) pdfLayers {
	optional := doc.Trailer().Key("Root").Key("OCProperties")
	settings := optional.Key("D")
	layers := pdfLayers{listed: map[string]bool{}, optional: optional.Kind() == pdf.Dict, shown: settings.Key("BaseState").Name() == "OFF"}
	list := "OFF"
	if layers.shown {
		list = "ON"
	}
	for _, ref := range objectRef.FindAllString(settings.Key(list).String(), -1) {
		layers.listed[ref] = true
	}
	return layers
}

func paperOf(leaf pdfLeaf, layers pdfLayers) pdfPaper {
	paper := pdfPaper{layers: layers, box: leaf.media}.with(leaf.resources)
	if leaf.crop != nil {
		paper.box = leaf.crop
	}
	return paper
}

// with returns the paper on which the operators name other resources.
func (p pdfPaper) with(resources pdf.Value) pdfPaper {
	p.resources, p.fonts = resources, map[string]*pdfFont{}
	p.fontRefs = refsOf(resources.Key("Font"))
	p.refs, p.hidden, p.clear, p.forms = map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]*pdfForm{}
	if p.layers.optional {
		p.refs = refsOf(resources.Key("Properties"))
	}
	return p
}

// boxOf returns the left, bottom, right and top of a box, or nil.
func boxOf(v pdf.Value, name string) []float64 {
	box := v.Key(name)
	if box.Len() != 4 {
		return nil
	}
	x, y := []float64{box.Index(0).Float64(), box.Index(2).Float64()}, []float64{box.Index(1).Float64(), box.Index(3).Float64()}
	return []float64{slices.Min(x), slices.Min(y), slices.Max(x), slices.Max(y)}
}

// kept returns what is known of a name, or finds it out.
func kept[T any](known map[string]T, name string, find func(string) T) T {
	value, ok := known[name]
	if !ok {
		value = find(name)
		known[name] = value
	}
	return value
}

// colourless tells whether the graphics state of a name draws nothing that is seen.
func (p pdfPaper) colourless(name string) bool {
	alpha := p.resources.Key("ExtGState").Key(name).Key("ca")
	return (alpha.Kind() == pdf.Real || alpha.Kind() == pdf.Integer) && alpha.Float64() < 0.05
}

// off tells whether the property of a name is a layer that is not shown.
func (p pdfPaper) off(name string) bool {
	return p.layers.off(p.resources.Key("Properties").Key(name), p.refs[name])
}

// off tells whether a layer, to which ref refers, is not shown, or none of a group of layers is.
func (l pdfLayers) off(group pdf.Value, ref string) bool {
	if group.Key("Type").Name() != "OCMD" {
		return ref != "" && l.listed[ref] != l.shown
	}
	if policy := group.Key("P").Name(); policy != "" && policy != "AnyOn" || group.Key("VE").Kind() != pdf.Null {
		return false
	}
	refs := objectRef.FindAllString(group.Key("OCGs").String(), -1)
	if group.Key("OCGs").Kind() == pdf.Dict {
		refs = nil
		if ref := refsOf(group)["OCGs"]; ref != "" {
			refs = []string{ref}
		}
	}
	return len(refs) > 0 && !slices.ContainsFunc(refs, func(ref string) bool { return l.listed[ref] == l.shown })
}

// marked does what operators do that name something in the resources of the page.
func (p *pdfPage) marked(op string, values []pdfOperand) {
	switch {
	case op == "gs" && len(values) == 1:
		p.clear = kept(p.paper.clear, values[0].text, p.paper.colourless)
	case op == "EMC" && len(p.marks) > 0:
		p.marks = p.marks[:len(p.marks)-1]
	case op == "BMC", op == "BDC":
		if len(p.marks) == maxStates {
			panic(errPDFOperator)
		}
		off := op == "BDC" && p.paper.layers.optional && len(values) == 2 && values[0].text == "OC" && kept(p.paper.hidden, values[1].text, p.paper.off)
		p.marks = append(p.marks, off)
	}
}

// outside tells whether the next letters stand beside the page.
func (p *pdfPage) outside() bool {
	if p.paper.box == nil {
		return false
	}
	at := matrix{1, 0, 0, 1, p.advance, 0}.times(p.matrix).times(p.drawn)
	height := p.size * p.drawn.scale() * math.Hypot(p.matrix[2], p.matrix[3])
	left, bottom, right, top := p.paper.box[0], p.paper.box[1], p.paper.box[2], p.paper.box[3]
	return at[5] < bottom-height || at[5] > top+height || at[4] > right || at[4] < left-(right-left)/4 // from where it may run into the page
}

// matrix is a change of coordinates as PDF writes it.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1}

// times returns the change by m and then by n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// scale returns how much larger things become.
func (m matrix) scale() float64 { return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2])) }

// pdfWords is the text of a page, as it is seen and as it is written.
type pdfWords struct {
	seen, all        strings.Builder
	shown, invisible int  // bytes of letters
	pictured         bool // whether the page has pictures
}

// add adds letters, which may be drawn invisibly or beside the page.
func (w *pdfWords) add(letters string, invisible, outside bool) {
	w.all.WriteString(letters)
	switch {
	case outside:
	case invisible:
		w.invisible += squeezedSize(letters)
	default:
		w.shown += squeezedSize(letters)
		w.seen.WriteString(letters)
	}
}

// part adds what parts words and lines: a space only behind a word.
func (w *pdfWords) part(with string) {
	for _, out := range []*strings.Builder{&w.seen, &w.all} {
		if text := out.String(); with != " " || text != "" && text[len(text)-1] > ' ' {
			out.WriteString(with)
		}
	}
}

// text returns what is seen. Programs that read scans write what they read invisibly over the picture, and a page on which nothing
// is seen is one whose place was not understood: of these, it is all that is written.
func (w *pdfWords) text() string {
	if w.shown == 0 || w.pictured && w.invisible > w.shown {
		return w.all.String()
	}
	return w.seen.String()
}

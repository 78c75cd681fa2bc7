package pdftext

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/quorate/quorate/agents/webfetch/extract/cputime"
)

const (
	maxPages    = 2000
	maxText     = 4 << 20  // bytes
	minText     = 64 << 10 // bytes, plus some for each byte of the file, which may show the same text again and again
	textPerByte = 8
)

var (
	// ErrNumbers means that numbers in the file ask for more memory than it may take. Nothing was read then.
	ErrNumbers = errors.New("the tables of the PDF are too large")

	// ErrWork means that reading was ended because it took too much time, or the text became too long.
	ErrWork = errors.New("reading the PDF takes too much work")

	errPages    = fmt.Errorf("the PDF has more than %d pages", maxPages)
	errShortKey = errors.New("the PDF is encrypted with a key of less than 128 bits")
	errOperator = errors.New("an operator has too few or too many operands")
)

// Content is what was read of a file. It comes from outside, and may contain anything.
type Content struct {
	Title string
	Text  string   // of all pages, separated by blank lines
	Links []string // URIs of the links on all pages
}

// Read returns the content of a file. With an error, which may wrap ErrNumbers or ErrWork, it returns what could be read. It takes 150 ms of CPU time and
// 250 ms more for each MiB of data at most, and ends when ctx does.
func Read(ctx context.Context, data []byte) (Content, error) {
	data = takeFilters(trimmed(data))
	if !saneNumbers(data) {
		return Content{}, ErrNumbers
	}
	limit, done := cputime.NewBudget(ctx, timeFor(data))
	defer done()
	from := &source{limit: limit, data: bytes.NewReader(data), left: maxReads}
	c, err := readFile(from)
	if err == nil || c.Text != "" || errors.Is(err, ErrWork) || errors.Is(err, errShortKey) {
		return c, err
	}
	whole := rebuilt(data)
	if whole == nil {
		return c, err
	}
	from.data = bytes.NewReader(whole)
	c, again := readFile(from)
	return c, cmp.Or(again, err) // there may have been more
}

func readFile(from *source) (c Content, err error) {
	defer recoverPanic(&err)
	file, err := pdf.NewReader(from, from.data.Size())
	if err != nil {
		return Content{}, fmt.Errorf("open the PDF: %w", err)
	}
	if hasShortKey(file.Trailer().Key("Encrypt")) {
		return Content{}, errShortKey
	}
	c.Title = file.Trailer().Key("Info").Key("Title").Text()
	size := int(from.data.Size())
	d := document{layers: layersOf(file), source: from, fonts: map[string]*font{}, most: min(maxText, minText+textPerByte*size)}
	if file.NumPage() > maxPages {
		d.broken = errPages
	}
	err = d.read(file)
	c.Text, c.Links = d.text.String(), d.links
	return c, cmp.Or(err, d.broken)
}

// hasShortKey reports whether a file is encrypted with a key of less than 128 bits, as those of the nineties are. The library decrypts them to noise.
func hasShortKey(encryption pdf.Value) bool {
	return encryption.Kind() == pdf.Dict && (encryption.Key("R").Int64() == 2 || encryption.Key("V").Int64() < 4 && encryption.Key("Length").Int64() < 128)
}

// document is what the pages of a file share, and what was read of them.
type document struct {
	source *source
	layers layers
	fonts  map[string]*font // by object; reading one takes long
	mapped int              // codes about which the fonts state something
	most   int              // bytes of text

	text   strings.Builder
	links  []string
	broken error // why some page is missing, or a part of it
}

// read reads all pages.
func (d *document) read(file *pdf.Reader) (err error) {
	defer recoverPanic(&err)
	count := 0
	for l := range d.pages(file.Trailer().Key("Root").Key("Pages")) {
		if count++; count > maxPages {
			d.broken = errPages
			break
		}
		text, broken := d.readPage(l)
		if broken != nil {
			d.broken = broken
		}
		if text = strings.TrimSpace(text); text != "" {
			d.text.WriteString(text)
			d.text.WriteString("\n\n")
		}
		if d.source.spent() || d.text.Len() > d.most {
			panic(ErrWork)
		}
	}
	return nil
}

// readPage returns the text of one page. With an error, it returns the text before it.
func (d *document) readPage(l leaf) (text string, err error) {
	defer recoverPanic(&err)
	p := newPage(d, canvasOf(l, d.layers))
	defer func() { text = p.text.visible() }()
	d.forgetFonts()
	if contents := l.page.Key("Contents"); contents.Kind() != pdf.Null {
		p.run(contents)
	}
	p.runAnnotations(l.page)
	return "", nil
}

// recoverPanic converts a panic of the library, or of the source, to an error.
func recoverPanic(err *error) {
	switch p := recover(); {
	case p == nil:
	case p == any(ErrWork):
		*err = ErrWork
	default:
		*err = fmt.Errorf("read the PDF: %v", p)
	}
}

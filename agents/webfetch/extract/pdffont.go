package extract

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// maxWidths bounds the widths that are read of one font. Of fonts with more, those behind it count as usual ones.
const maxWidths = 1 << 14

// pdfFont tells what the codes of a font mean, and how wide their letters are.
type pdfFont struct {
	unicode pdfMap            // as the file states it; goes first
	table   [256]string       // of codes of one byte
	wide    bool              // codes have two bytes, or as many as unicode or legacy says
	legacy  encoding.Encoding // of a font with wide codes that are those of a charset
	widths  map[uint32]float64
	usual   float64 // width of other letters; NaN when it is not known
	drawn   bool    // each letter is a drawing with a size of its own
}

// legacyEncodings are the charsets of predefined encodings, by how their names begin.
var legacyEncodings = []struct {
	begin string
	of    encoding.Encoding
}{
	{"UniGB-", utf16BE},
	{"UniCNS-", utf16BE},
	{"UniJIS", utf16BE},
	{"UniKS-", utf16BE},
	{"90ms-RKSJ", japanese.ShiftJIS},
	{"90msp-RKSJ", japanese.ShiftJIS},
	{"90pv-RKSJ", japanese.ShiftJIS},
	{"83pv-RKSJ", japanese.ShiftJIS},
	{"Add-RKSJ", japanese.ShiftJIS},
	{"Ext-RKSJ", japanese.ShiftJIS},
	{"EUC-", japanese.EUCJP},
	{"GB", simplifiedchinese.GBK},
	{"B5", traditionalchinese.Big5},
	{"ETen", traditionalchinese.Big5},
	{"KSC", korean.EUCKR},
}

var utf16BE = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)

// maxPDFMapped is how many codes the fonts of a page, and those that are kept of others, may state something about.
const maxPDFMapped = 1 << 19

// count notes what the fonts that are kept take.
func (b *pdfBook) count(codes int) {
	const font = 256
	if b.mapped += font + codes; b.mapped > maxPDFMapped || b.file.over() {
		panic(errPDFWork)
	}
}

// forget drops the fonts of other pages when they take much.
func (b *pdfBook) forget() {
	if b.mapped > maxPDFMapped/4 {
		clear(b.fonts)
		b.mapped = 0
	}
}

// font reads a font.
func (b *pdfBook) font(v pdf.Value) *pdfFont {
	b.count(0)
	f := &pdfFont{usual: math.NaN(), drawn: v.Key("Subtype").Name() == "Type3", wide: v.Key("Subtype").Name() == "Type0"}
	if stated := v.Key("ToUnicode"); stated.Kind() == pdf.Stream {
		f.unicode = b.unicodeOf(stated)
	}
	if f.wide {
		b.readWide(f, v)
		return f
	}
	f.table = tableOf(v)
	if widths := v.Key("Widths"); !f.drawn && widths.Len() > 0 {
		first := v.Key("FirstChar").Int64()
		f.usual, f.widths = 0, map[uint32]float64{}
		for i := range min(widths.Len(), len(f.table)) {
			f.widths[uint32(first)+uint32(i)] = widths.Index(i).Float64() //nolint:gosec // other codes are never asked for
		}
	}
	return f
}

// readWide reads what is special to a font of type 0.
func (b *pdfBook) readWide(f *pdfFont, v pdf.Value) {
	name := v.Key("Encoding").Name()
	for _, known := range legacyEncodings {
		if strings.HasPrefix(name, known.begin) {
			f.legacy = known.of
			break
		}
	}
	inner := v.Key("DescendantFonts").Index(0)
	f.usual = 1000
	if usual := inner.Key("DW"); usual.Kind() != pdf.Null {
		f.usual = usual.Float64()
	}
	f.widths = map[uint32]float64{}
	if f.legacy != nil {
		return // they are by the numbers of letters in a collection
	}
	b.count(f.readWidths(inner.Key("W")))
}

// readWidths reads lists of widths behind the code of the first, and widths behind the first and the last code. It returns how many there were.
func (f *pdfFont) readWidths(widths pdf.Value) (count int) {
	for i := 0; i+1 < widths.Len(); {
		first, next := widths.Index(i).Int64(), widths.Index(i+1)
		last, list := next.Int64(), next.Kind() == pdf.Array
		if list {
			last = first + int64(next.Len()) - 1
		}
		for code := first; code <= last; code++ {
			if count++; count > maxWidths {
				return count
			}
			width := widths.Index(i + 2)
			if list {
				width = next.Index(int(code - first))
			}
			f.widths[uint32(code)] = width.Float64() //nolint:gosec // other codes are never asked for
		}
		if i += 2; !list {
			i++
		}
	}
	return count
}

// tableOf returns what the codes of one byte mean in a font.
func tableOf(v pdf.Value) (table [256]string) {
	given := v.Key("Encoding")
	base, names := charmap.Windows1252, given.Key("Differences")
	if given.Name() == "MacRomanEncoding" || given.Key("BaseEncoding").Name() == "MacRomanEncoding" {
		base = charmap.Macintosh
	}
	library := (&pdf.Font{V: v}).Encoder // knows names of letters
	for code := range table {
		table[code] = string(base.DecodeByte(byte(code)))
	}
	switch {
	case given.Kind() == pdf.Null && v.Key("ToUnicode").Kind() == pdf.Null:
		for code := range table {
			table[code] = library().Decode(string([]byte{byte(code)}))
		}
	case names.Len() > 0:
		applyDifferences(&table, names, library())
	}
	return table
}

// applyDifferences puts the letters of names into a table. A number says which code the names behind it begin with.
func applyDifferences(table *[256]string, names pdf.Value, library pdf.TextEncoding) {
	code := int64(0)
	for i := range min(names.Len(), 2*len(table)) {
		name := names.Index(i)
		if name.Kind() == pdf.Integer {
			code = name.Int64()
			continue
		}
		if code >= 0 && code < int64(len(table)) {
			if letter := letterOf(name.Name()); letter != "" {
				table[code] = letter
			} else if letter = library.Decode(string([]byte{byte(code)})); letter != string(rune(code)) {
				table[code] = letter
			}
		}
		code++
	}
}

// letterOf returns the letter of a name such as uni20AC or a, or nothing (https://github.com/adobe-type-tools/agl-specification).
func letterOf(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if len(name) == 1 {
		return name
	}
	for _, begin := range []string{"uni", "u"} {
		digits, found := strings.CutPrefix(name, begin)
		if code, err := strconv.ParseUint(digits, 16, 32); found && err == nil && len(digits) >= 4 && len(digits) <= 6 {
			return string(rune(code)) //nolint:gosec // what is no letter becomes U+FFFD
		}
	}
	return ""
}

// read returns the text that raw stands for, how wide it is in thousandths of the size, and how many letters and spaces it has.
func (f *pdfFont) read(raw string) (said string, width float64, letters, spaces int) {
	var out strings.Builder
	if f.legacy != nil && f.unicode.empty() {
		said, _ := f.legacy.NewDecoder().String(raw)
		return said, f.usual * float64(len(raw)) / 2, utf8.RuneCountInString(said), 0
	}
	for raw != "" {
		size := 1
		if f.wide {
			size = f.unicode.codeSize(raw)
		}
		code := codeOf(raw[:size])
		said, known := f.unicode.letter(code)
		switch {
		case known:
		case f.wide:
			said = "\ufffd"
		default:
			said = f.table[code]
		}
		out.WriteString(said)
		letters++
		if size == 1 && raw[0] == ' ' {
			spaces++
		}
		one, told := f.widths[code]
		if !told {
			one = f.usual
		}
		width += one
		raw = raw[size:]
	}
	return out.String(), width, letters, spaces
}

func codeOf(raw string) (code uint32) {
	for i := range len(raw) {
		code = code<<8 | uint32(raw[i])
	}
	return code
}

// fromUTF16 returns the letters of a string in UTF-16.
func fromUTF16(raw string) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}

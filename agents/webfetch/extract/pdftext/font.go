package pdftext

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

// maxWidths is how many widths of one font are read. Letters beyond them count as having the font's default width.
const maxWidths = 1 << 14

// font says what letters the codes of a font stand for, and how wide they are.
type font struct {
	toUnicode    cmap              // as the file states it; goes before everything else
	simple       [256]string       // letters by code, of a simple font
	composite    bool              // codes have two bytes, or as many as toUnicode says
	charset      encoding.Encoding // of a composite font whose codes are those of a charset; otherwise nil
	type3        bool              // letters are drawings with a size of their own
	widths       map[uint32]float64
	missingWidth float64 // of letters without a width; NaN if the file states none
}

// charsets are the charsets of predefined CMaps, by the prefix of their names.
var charsets = []struct {
	prefix  string
	charset encoding.Encoding
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

// maxMapped is how many codes the fonts that are kept may state something about. It bounds their memory.
const maxMapped = 1 << 19

// countCodes counts codes about which a font states something.
func (d *document) countCodes(n int) {
	if d.mapped += n; d.mapped > maxMapped || d.source.spent() {
		panic(ErrWork)
	}
}

// forgetFonts drops the fonts of other pages when they take much memory.
func (d *document) forgetFonts() {
	if d.mapped > maxMapped/4 {
		clear(d.fonts)
		d.mapped = 0
	}
}

func (d *document) readFont(v pdf.Value) *font {
	const codes = 256 // that simple has
	d.countCodes(codes)
	kind := v.Key("Subtype").Name()
	f := &font{missingWidth: math.NaN(), type3: kind == "Type3", composite: kind == "Type0"}
	if stated := v.Key("ToUnicode"); stated.Kind() == pdf.Stream {
		f.toUnicode = d.readCMap(stated)
	}
	if f.composite {
		d.readComposite(f, v)
		return f
	}
	f.simple = simpleEncoding(v)
	if widths := v.Key("Widths"); !f.type3 && widths.Len() > 0 {
		first := v.Key("FirstChar").Int64()
		f.missingWidth, f.widths = 0, map[uint32]float64{}
		for i := range min(widths.Len(), len(f.simple)) {
			f.widths[uint32(first)+uint32(i)] = widths.Index(i).Float64() //nolint:gosec // other codes are never asked for
		}
	}
	return f
}

// readComposite reads what only composite fonts have.
func (d *document) readComposite(f *font, v pdf.Value) {
	name := v.Key("Encoding").Name()
	for _, known := range charsets {
		if strings.HasPrefix(name, known.prefix) {
			f.charset = known.charset
			break
		}
	}
	descendant := v.Key("DescendantFonts").Index(0)
	f.missingWidth = 1000
	if width := descendant.Key("DW"); width.Kind() != pdf.Null {
		f.missingWidth = width.Float64()
	}
	f.widths = map[uint32]float64{}
	if f.charset != nil {
		return // the widths are by the numbers of letters in a collection, which are not known here
	}
	d.countCodes(f.readWidths(descendant.Key("W")))
}

// readWidths reads the widths of a composite font (ISO 32000-1, 9.7.4.3): a code and an array of the widths from there on, or the first code, the last code
// and the width of all of them. It returns how many widths there were.
func (f *font) readWidths(widths pdf.Value) (count int) {
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

// simpleEncoding returns the letters by code of a simple font.
func simpleEncoding(v pdf.Value) (letters [256]string) {
	encoding := v.Key("Encoding")
	base, differences := charmap.Windows1252, encoding.Key("Differences")
	if encoding.Name() == "MacRomanEncoding" || encoding.Key("BaseEncoding").Name() == "MacRomanEncoding" {
		base = charmap.Macintosh
	}
	library := (&pdf.Font{V: v}).Encoder // knows the names of letters
	for code := range letters {
		letters[code] = string(base.DecodeByte(byte(code)))
	}
	signs, ofSigns := signsOf(v)
	switch {
	case ofSigns:
		letters = signs
		applyDifferences(&letters, differences, library())
	case encoding.Kind() == pdf.Null && v.Key("ToUnicode").Kind() == pdf.Null:
		decoder := library()
		for code := range letters {
			letters[code] = decoder.Decode(string([]byte{byte(code)}))
		}
	case differences.Len() > 0:
		applyDifferences(&letters, differences, library())
	}
	return letters
}

// applyDifferences changes letters as an array of differences says: numbers are codes, and the names after one are for the codes from there on.
func applyDifferences(letters *[256]string, differences pdf.Value, library pdf.TextEncoding) {
	code := int64(0)
	for i := range min(differences.Len(), 2*len(letters)) {
		name := differences.Index(i)
		if name.Kind() == pdf.Integer {
			code = name.Int64()
			continue
		}
		if code >= 0 && code < int64(len(letters)) {
			if letter := letterOf(name.Name()); letter != "" {
				letters[code] = letter
			} else if letter = library.Decode(string([]byte{byte(code)})); letter != string(rune(code)) {
				letters[code] = letter
			}
		}
		code++
	}
}

// letterOf returns the letter that a glyph name such as uni20AC or a stands for, or "" (https://github.com/adobe-type-tools/agl-specification).
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

// decode returns the text that the bytes of a string stand for, its width in thousandths of the font size, and how many letters and spaces it has.
func (f *font) decode(raw string) (text string, width float64, letters, spaces int) {
	var out strings.Builder
	if f.charset != nil && f.toUnicode.empty() {
		text, _ := f.charset.NewDecoder().String(raw)
		return text, f.missingWidth * float64(len(raw)) / 2, utf8.RuneCountInString(text), 0
	}
	for raw != "" {
		size := 1
		if f.composite {
			size = f.toUnicode.codeSize(raw)
		}
		code := codeOf(raw[:size])
		letter, known := f.toUnicode.lookUp(code)
		switch {
		case known:
		case f.composite:
			letter = "\ufffd"
		default:
			letter = f.simple[code]
		}
		out.WriteString(letter)
		letters++
		if size == 1 && raw[0] == ' ' {
			spaces++
		}
		of, stated := f.widths[code]
		if !stated {
			of = f.missingWidth
		}
		width += of
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

// fromUTF16 decodes UTF-16 in big-endian byte order.
func fromUTF16(raw string) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
	}
	return string(utf16.Decode(units))
}

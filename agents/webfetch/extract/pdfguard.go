package extract

import (
	"bytes"
	"regexp"
	"strconv"
)

// Limits of numbers in a PDF that make the library allocate or count without a limit of its own.
const (
	maxPDFObjects = 1_000_000 // also in one section of a cross-reference table
	maxPDFColumns = 100_000   // of a predictor
	maxPDFWidth   = 1_000_000 // bytes of a field in a cross-reference stream; widths of fonts have the same name
)

// sanePDF reports whether the numbers by which the library allocates are within limits. They are not compressed, or are refused where they may be. It
// checks everything that looks like such a number, whether or not the library would read it.
func sanePDF(data []byte) bool {
	plain := unescapeNames(data)
	return numbersWithin(plain, sizePattern, maxPDFObjects, maxPDFObjects) &&
		numbersWithin(plain, indexPattern, maxPDFObjects, 2*maxPDFObjects) &&
		numbersWithin(plain, widthPattern, maxPDFWidth, 50*maxPDFWidth) &&
		numbersWithin(plain, columnsPattern, maxPDFColumns, maxPDFColumns) &&
		!indirectPattern.Match(plain) && saneTables(plain)
}

const pdfSpace = `(?:[\x00\t\n\f\r ]|%[^\r\n]*[\r\n])*`

var (
	sizePattern     = regexp.MustCompile(`/Size` + pdfSpace + `([+-]?[0-9]+)`)
	indexPattern    = regexp.MustCompile(`/Index` + pdfSpace + `\[([^\]]*)\]?`)
	widthPattern    = regexp.MustCompile(`/W` + pdfSpace + `\[([^\]]*)\]?`)
	columnsPattern  = regexp.MustCompile(`/Columns` + pdfSpace + `([+-]?[0-9]+)`)
	indirectPattern = regexp.MustCompile(`/(?:Columns|DecodeParms|DP)` + pdfSpace + `\[?[^/<>]*[0-9]` + pdfSpace + `R`)
	digitsPattern   = regexp.MustCompile(`[0-9]+`)
	escapedPattern  = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)
)

// unescapeNames decodes escapes, by which a name may be hidden.
func unescapeNames(data []byte) []byte {
	return escapedPattern.ReplaceAllFunc(data, func(e []byte) []byte {
		n, err := strconv.ParseUint(string(e[1:]), 16, 8)
		if err != nil {
			return e
		}
		return []byte{byte(n)}
	})
}

func numbersWithin(data []byte, pattern *regexp.Regexp, most, total int) bool {
	for _, m := range pattern.FindAllSubmatch(data, -1) {
		sum := 0
		for _, digits := range digitsPattern.FindAll(m[1], -1) {
			n, err := strconv.Atoi(string(digits))
			if sum += n; err != nil || n > most || sum > total {
				return false
			}
		}
	}
	return true
}

// saneTables checks the first number of each section of each cross-reference table: "start count", followed by as many lines "offset generation n".
func saneTables(data []byte) bool {
	for {
		at := bytes.Index(data, []byte("xref"))
		if at < 0 {
			return true
		}
		starts := bytes.HasSuffix(data[:at], []byte("start"))
		data = data[at+len("xref"):]
		if !starts && !saneTable(data[:min(len(data), maxPDFTable)]) {
			return false
		}
	}
}

const maxPDFTable = 20 * maxPDFObjects // bytes

func saneTable(data []byte) bool {
	end := tableEnd(data)
	if end < len(data) && data[end] == '%' {
		return false // no program writes comments there
	}
	fields := bytes.Fields(data[:end])
	for i := 0; i+1 < len(fields); {
		if i+2 < len(fields) && (string(fields[i+2]) == "n" || string(fields[i+2]) == "f") {
			i += 3
			continue
		}
		if n, err := strconv.Atoi(string(fields[i])); err == nil && n > maxPDFObjects {
			return false
		}
		i += 2
	}
	return true
}

// tableEnd returns the end of what may belong to a table.
func tableEnd(data []byte) int {
	for i, c := range data {
		if (c < '0' || c > '9') && c != 'n' && c != 'f' && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != 0 && c != '\f' && c != '+' && c != '-' {
			return i
		}
	}
	return len(data)
}

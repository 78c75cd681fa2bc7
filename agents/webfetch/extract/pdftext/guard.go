package pdftext

import (
	"bytes"
	"regexp"
	"strconv"
)

// Limits of numbers by which the library allocates memory or counts, without a limit of its own.
const (
	maxObjects = 1_000_000 // also in one section of a cross-reference table
	maxColumns = 100_000   // of a predictor
	maxWidth   = 1_000_000 // bytes of a field in a cross-reference stream; widths of fonts have the same name
)

// saneNumbers reports whether the numbers by which the library allocates are within limits. They are not compressed, or are refused where they may be. It
// checks everything that looks like such a number, whether or not the library would read it.
func saneNumbers(data []byte) bool {
	plain := unescapeNames(data)
	return numbersWithin(plain, sizePattern, maxObjects, maxObjects) &&
		numbersWithin(plain, indexPattern, maxObjects, 2*maxObjects) &&
		numbersWithin(plain, widthPattern, maxWidth, 50*maxWidth) &&
		numbersWithin(plain, columnsPattern, maxColumns, maxColumns) &&
		!indirectPattern.Match(plain) && saneTables(plain)
}

const whiteSpace = `(?:[\x00\t\n\f\r ]|%[^\r\n]*[\r\n])*`

var (
	sizePattern     = regexp.MustCompile(`/Size` + whiteSpace + `[+-]?[0-9]`)
	indexPattern    = regexp.MustCompile(`/Index` + whiteSpace + `\[`)
	widthPattern    = regexp.MustCompile(`/W` + whiteSpace + `\[`)
	columnsPattern  = regexp.MustCompile(`/Columns` + whiteSpace + `[+-]?[0-9]`)
	indirectPattern = regexp.MustCompile(`/(?:Columns|DecodeParms|DP)` + whiteSpace + `\[?[^/<>]*[0-9]` + whiteSpace + `R`)
	escapedPattern  = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)
)

// unescapeNames decodes the escapes in names (#xx), in which a key could hide.
func unescapeNames(data []byte) []byte {
	return escapedPattern.ReplaceAllFunc(data, func(e []byte) []byte {
		n, err := strconv.ParseUint(string(e[1:]), 16, 8)
		if err != nil {
			return e
		}
		return []byte{byte(n)}
	})
}

// numbersWithin reports whether the numbers that follow each match of pattern, one or those up to the end of a list, are within limits.
func numbersWithin(data []byte, pattern *regexp.Regexp, most, total int) bool {
	for {
		at := pattern.FindIndex(data)
		if at == nil {
			return true
		}
		value := data[at[1]-1:] // a bracket or a digit
		end := bytes.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' })
		if value[0] == '[' {
			end = bytes.IndexByte(value, ']')
		}
		if end < 0 {
			end = len(value)
		}
		if !listWithin(value[:end], most, total) {
			return false
		}
		data = value[end:]
	}
}

func listWithin(list []byte, most, total int) bool {
	sum := 0
	for begin := 0; begin < len(list); begin++ {
		end := begin
		for end < len(list) && list[end] >= '0' && list[end] <= '9' {
			end++
		}
		digits, fraction := list[begin:end], begin > 0 && list[begin-1] == '.'
		begin = end
		if len(digits) == 0 || fraction {
			continue // no number, or of a fraction, as widths of letters have, and which the library allocates nothing by
		}
		n, err := strconv.Atoi(string(digits))
		if sum += n; err != nil || n > most || sum > total {
			return false
		}
	}
	return true
}

// saneTables checks the cross-reference tables. A section of one begins with "start count", and the library allocates up to start; as many lines
// "offset generation n" follow.
func saneTables(data []byte) bool {
	for {
		at := bytes.Index(data, []byte("xref"))
		if at < 0 {
			return true
		}
		starts := bytes.HasSuffix(data[:at], []byte("start"))
		data = data[at+len("xref"):]
		if !starts && !saneTable(data[:min(len(data), maxTable)]) {
			return false
		}
	}
}

const maxTable = 20 * maxObjects // bytes

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
		if n, err := strconv.Atoi(string(fields[i])); err == nil && n > maxObjects {
			return false
		}
		i += 2
	}
	return true
}

// tableEnd returns how many bytes at the beginning of data may belong to a table.
func tableEnd(data []byte) int {
	for i, c := range data {
		if (c < '0' || c > '9') && c != 'n' && c != 'f' && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != 0 && c != '\f' && c != '+' && c != '-' {
			return i
		}
	}
	return len(data)
}

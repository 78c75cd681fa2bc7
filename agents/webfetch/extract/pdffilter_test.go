package extract_test

import (
	"bytes"
	stdlzw "compress/lzw"
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

func TestStreamsOfAPDFAreDecoded(t *testing.T) {
	const drawn, line = "BT /F1 10 Tf 72 720 Td (seen) Tj ET", "a line that is drawn again and again"
	long := "BT /F1 10 Tf 72 720 Td 12 TL " + strings.Repeat("("+line+") Tj T* ", 1000) + "ET" // needs codes of every width
	all := strings.TrimSuffix(strings.Repeat(line+"\n", 1000), "\n")
	digits := hex.EncodeToString([]byte(drawn))
	runs := "\x0bBT /F1 10 Tf" + "\xe3 " + "\x1572 720 Td (seen) Tj ET" + "\x80 and what is not read"
	for name, test := range map[string]struct {
		filter, content string
		want            string // empty for an error
	}{
		"LZW":                        {"/LZWDecode", earlyLZW(drawn), "seen"},
		"much LZW":                   {"/LZWDecode /DecodeParms << /EarlyChange 1 >>", earlyLZW(long), all},
		"LZW of the usual kind":      {"/LZWDecode /DecodeParms << /EarlyChange 0 >>", usualLZW(long), all},
		"LZW in ASCII":               {"[ /ASCII85Decode\n/LZWDecode ]", base85(earlyLZW(drawn)), "seen"},
		"runs":                       {"/RunLengthDecode", runs, "seen"},
		"digits":                     {"/ASCIIHexDecode", digits[:20] + "\n" + digits[20:] + ">00", "seen"},
		"known filters behind":       {"[/ASCIIHexDecode /FlateDecode]", hex.EncodeToString(deflate(drawn, "", 0)) + ">", "seen"},
		"known filters only":         {"[/ASCII85Decode /FlateDecode]", base85(string(deflate(drawn, "", 0))), "seen"},
		"a run that breaks off":      {"/RunLengthDecode", runs[:18], ""},
		"a filter that there is not": {"[/LZWDecode /X]", earlyLZW(drawn), ""},
		"too many filters":           {"[" + strings.Repeat("/LZWDecode ", 5) + "]", earlyLZW(drawn), ""},
		"a predictor":                {"/LZWDecode /DecodeParms << /Predictor 2 >>", earlyLZW(drawn), ""},
	} {
		file := pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 -20000 612 792] >>",
			"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
			fmt.Sprintf("<< /Filter %s /Length %d >>\nstream\n%s\nendstream", test.filter, len(test.content), test.content), "<< /Type /Font /Subtype /Type1 >>", "<< >>")
		before := bytes.Clone(file.Data)
		got, err := extract.Extract(t.Context(), file, extract.Options{})
		if got.Text != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: Extract() = %.80q, %v, want %.80q", name, got.Text, err, test.want)
		}
		if !bytes.Equal(file.Data, before) {
			t.Errorf("%s: Extract() changed the bytes that it was given", name)
		}
	}
}

// base85 encodes text as ASCII85Decode reads it.
func base85(text string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(text)))
	return string(out[:ascii85.Encode(out, []byte(text))]) + "\n~>"
}

// usualLZW encodes text with codes that become longer when they have to, as the standard library does.
func usualLZW(text string) string {
	var out bytes.Buffer
	w := stdlzw.NewWriter(&out, stdlzw.MSB, 8)
	_, _ = w.Write([]byte(text)) // to memory
	_ = w.Close()
	return out.String()
}

// earlyLZW encodes text as PDF has it by default (ISO 32000 §7.4.4): codes become longer one code early.
func earlyLZW(text string) string {
	const begin, end = 256, 257
	var out []byte
	bits, held, width := uint32(0), 0, 9
	emit := func(code int) {
		bits, held = bits<<width|uint32(code), held+width
		for ; held >= 8; held -= 8 {
			out = append(out, byte(bits>>(held-8)))
		}
	}
	table := map[string]int{}
	code := func(s string) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return table[s]
	}
	emit(begin)
	word, next := "", end+1
	for i := range len(text) {
		longer := text[i : i+1]
		if longer = word + longer; len(longer) == 1 || table[longer] > 0 {
			word = longer
			continue
		}
		emit(code(word))
		table[longer] = next
		if next++; next == 1<<width {
			width++
		}
		if next == 4095 {
			emit(begin)
			table, next, width = map[string]int{}, end+1, 9
		}
		word = text[i : i+1]
	}
	emit(code(word))
	if next+1 == 1<<width {
		width++ // the reader counts this code, too
	}
	emit(end)
	return string(append(out, byte(bits<<(8-held))))
}

package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
	"github.com/quorate/quorate/platform/fault"
)

func TestWordsAndLinesOfAPDF(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"spaces that are written":         {"BT /F1 12 Tf (a b) Tj ET", "a b"},
		"words that are moved apart":      {"BT /F1 10 Tf 72 720 Td [(T)80(wo)-333(w)10(ords)] TJ ET", "Two words"},
		"lines below each other":          {"BT /F1 10 Tf 72 720 Td (one) Tj 0 -12 Td (two) Tj ET", "one\ntwo"},
		"lines with a leading":            {"BT /F1 10 Tf 12 TL 72 720 Td (one) Tj T* (two) Tj (three) ' ET", "one\ntwo\nthree"},
		"paragraphs":                      {"BT /F1 10 Tf 72 720 Td (one) Tj 0 -24 Td (two) Tj ET", "one\n\ntwo"},
		"lines by matrices":               {"BT /F1 1 Tf 10 0 0 10 72 720 Tm (one) Tj 10 0 0 10 72 708 Tm (two) Tj ET", "one\ntwo"},
		"lines of a page that is turned":  {"BT /F1 1 Tf 0 10 -10 0 300 72 Tm (one) Tj 0 10 -10 0 312 72 Tm (two) Tj ET", "one\ntwo"},
		"a sign above the line":           {"BT /F1 10 Tf 72 720 Td (x) Tj 5 3 Td (2) Tj ET", "x2"},
		"white on a dark ground":          {"0 g 0 0 100 100 re f 1 g BT /F1 10 Tf (seen) Tj ET", "seen"},
		"dark after white":                {"q 1 g BT /F1 10 Tf (hidden) Tj ET Q BT /F1 10 Tf (seen) Tj ET", "seen"},
		"white on paper":                  {"BT /F1 10 Tf (seen) Tj 1 1 1 rg (hidden) Tj 0 g ( too) Tj ET", "seen too"},
		"white on white":                  {"1 g 0 0 100 100 re f BT /F1 10 Tf (hidden) Tj 0 g (seen) Tj ET", "seen"},
		"white as printers have it":       {"BT /F1 10 Tf 0 0 0 0 k (hidden) Tj 0 0 0 1 k (seen) Tj ET", "seen"},
		"white of a space":                {"/C cs 1 1 1 scn BT /F1 10 Tf (hidden) Tj 0 0 0 scn (seen) Tj ET", "seen"},
		"specks":                          {"BT /F1 0.5 Tf (hidden) Tj /F1 0 Tf (hidden) Tj /F1 8 Tf (seen) Tj ET", "seen"},
		"specks by a matrix":              {"BT /F1 10 Tf 0.01 0 0 0.01 0 0 Tm (hidden) Tj 1 0 0 1 0 0 Tm (seen) Tj ET", "seen"},
		"specks by the page's own matrix": {"q 0.01 0 0 0.01 0 0 cm BT /F1 10 Tf (hidden) Tj ET Q BT /F1 10 Tf (seen) Tj ET", "seen"},
		"words in text objects":           {"BT /F1 10 Tf 72 720 Td (one) Tj ET BT /F1 10 Tf 105 720 Td (two) Tj ET BT /F1 10 Tf 72 708 Td (three) Tj ET", "one two\nthree"},
		"parts of words in text objects":  {"BT /F1 10 Tf 72 720 Td (one) Tj ET q 1 0 0 1 88 720 cm BT /F1 10 Tf (more) Tj ET Q", "onemore"},
		"cells that are far apart":        {"BT /F1 10 Tf 72 720 Td (Name) Tj 200 0 Td (Value) Tj ET", "Name Value"},
		"a picture among the operators":   {"BT /F1 10 Tf 72 720 Td (one) Tj ET BI /W 4 /H 1 /BPC 8 /CS /G ID (\\+ EIx(( EI Q\x80 EI BT /F1 10 Tf 72 708 Td (two) Tj ET", "one\ntwo"},
		"an escape that there is not":     {`BT /F1 10 Tf (a\+b\(c\101\053) Tj ET`, "a+b(cA+"},
		"joined letters":                  {"BT /F1 10 Tf (\x93nal o\x94ice) Tj ET", "final oflice"},
		"large letters made small":        {"0.1 0 0 0.1 0 0 cm BT /F1 120 Tf (seen) Tj ET", "seen"},
		"small letters made large":        {"BT /F1 0.1 Tf 100 0 0 100 0 0 Tm (seen) Tj ET", "seen"},
	} {
		got, err := extract.Extract(t.Context(), pdf(deflate(test.content, "", 0)), extract.Options{})
		if err != nil || got.Text != test.want {
			t.Errorf("%s: Extract(%s) = %q, %v, want %q", name, test.content, got.Text, err, test.want)
		}
	}
}

func TestLettersOfAPDFAreWhatItsFontsSay(t *testing.T) {
	cmap := func(body string) string {
		return "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n" + body + " endcmap end end"
	}
	simple := "/Subtype /TrueType /BaseFont /ABCDEF+X "
	wide := "/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /DW 500 /W [1 [1000 250] 10 20 1000] >>] "
	for name, test := range map[string]struct{ font, unicode, content, want string }{
		"as stated":                      {wide, cmap("2 beginbfchar <0001> <65E5> <0002> <D83DDE00> endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0078> <0079007A>] endbfrange"), "<000100020010001200200021> Tj", "日😀acxyz"},
		"as stated, before their names":  {simple + "/Encoding << /Differences [65 /g1 /g2] >> ", cmap("1 beginbfrange <41> <42> <043A> endbfrange"), "(AB) Tj", "кл"},
		"with other encodings":           {simple + "/Encoding /WinAnsiEncoding ", cmap("1 beginbfchar <41> <03B1> endbfchar"), "(AB\\200) Tj", "αB€"},
		"by names":                       {simple + "/Encoding << /BaseEncoding /MacRomanEncoding /Differences [65 /eacute /uni20AC /u1F600 /fi /B.alt] >> ", "", "(ABCDEZ\\216) Tj", "é€😀fiBZé"},
		"in Japanese":                    {"/Subtype /Type0 /Encoding /90ms-RKSJ-H /DescendantFonts [<< >>] ", "", "<93FA967B41> Tj", "日本A"},
		"in the order of Unicode":        {"/Subtype /Type0 /Encoding /UniJIS-UTF16-H /DescendantFonts [<< >>] ", "", "<65E5672CD83DDE00> Tj", "日本😀"},
		"words by the widths of letters": {wide, cmap("1 beginbfrange <0001> <00FF> <0041> endbfrange"), "<00010002> Tj 12.5 0 Td <0003> Tj 8 0 Td <0004> Tj", "ABC D"},
		"widths with long fractions":     {strings.Replace(wide, "[1000 250]", "[999.93359375 250.01]", 1), cmap("1 beginbfrange <0001> <00FF> <0041> endbfrange"), "<00010002> Tj 12.5 0 Td <0003> Tj", "ABC"},
		"in Symbol":                      {"/Subtype /Type1 /BaseFont /ABCDEF+Symbol,Bold ", "", "(10 mm \\263 a \\376) Tj", "10 μμ ≥ α ⎭"},
		"in Symbol, as WinAnsi":          {"/Subtype /Type1 /BaseFont /Symbol /Encoding /WinAnsiEncoding ", "", "(10 mm) Tj", "10 mm"},
		"in Symbol, with differences":    {"/Subtype /Type1 /BaseFont /SymbolMT /Encoding << /Differences [109 /summation] >> ", "", "(m a) Tj", "∑ α"},
		"in Dingbats":                    {"/Subtype /Type1 /BaseFont /ZapfDingbats ", "", "(4 8 l~\\241\\254\\266\\325\\376\\360) Tj", "✔ ✘ ●❞❡①❶→➾\ufffd"},
		"letters that nobody knows":      {wide, "", "<00010002> Tj ET BT /F2 10 Tf 72 708 Td (seen) Tj", "\ufffd\ufffd\nseen"},
		"a range without an end":         {wide, cmap("1 beginbfrange <0001> <0001> endbfrange 1 beginbfchar <0001> <0041> endbfchar"), "<0001> Tj", "A"},
	} {
		font := "<< /Type /Font " + test.font
		if test.unicode != "" {
			font += "/ToUnicode 6 0 R "
		}
		file := pdfWithFont(test.content, font+">>", test.unicode)
		if got, err := extract.Extract(t.Context(), file, extract.Options{}); err != nil || got.Text != test.want {
			t.Errorf("%s: Extract() = %q, %v, want %q", name, got.Text, err, test.want)
		}
	}
}

// pdfWithFont returns a file of one page whose content uses a font, which may refer to the meaning of its codes as 6 0 R.
func pdfWithFont(content, font, unicode string) extract.Source {
	content = "BT /F1 10 Tf 72 720 Td " + content + " ET"
	return pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 << /Type /Font /Subtype /Type1 >> >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content), font,
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(unicode), unicode), "<< >>")
}

// As in the standard of bidirectional text (UAX #9), capitals stand for letters that are read from right to left.
func TestAPDFIsReadFromRightToLeft(t *testing.T) {
	capitals := strings.NewReplacer(func() (pairs []string) {
		for i := range 'Z' - 'A' + 1 {
			pairs = append(pairs, string('א'+i), string('A'+i))
		}
		return pairs
	}()...)
	cmap := "1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfrange <20> <40> <0020> <41> <5A> <05D0> <5B> <7E> <005B> endbfrange " +
		"6 beginbfchar <80> <FEE1> <81> <FEFB> <82> <FEB3> <83> <00AB> <84> <00BB> <85> <FB2A> endbfchar"
	const left, below = " -30 0 Td ", " 0 -12 Td "
	line := func(text string) string { return fmt.Sprintf("<%x> Tj", text) }
	for content, want := range map[string]string{
		line("DLROW OLLEH"):                                    "HELLO WORLD",
		line(".(A ETON) 1,250.5 FO ECIRP"):                     "PRICE OF 1,250.5 (NOTE A).",
		line("FFO 50% ,$20 -5 ,12/2025 14:30"):                 "14:30 12/2025, 5- $20, 50% OFF",
		line("FO go 1.26 (rc) HTIW TNIRP A"):                   "A PRINT WITH go 1.26 (rc) OF",
		line("\x83B\x84 >A< [C}"):                              "{C] >A< «B»",
		line("some words (OWT ,3 EERHT) and five (EVIF) 6"):    "some words (THREE 3, TWO) and five (FIVE) 6",
		line("no (letters), 50% - 1"):                          "no (letters), 50% - 1",
		line("\x80\x81\x82"):                                   "\u0633\u0644\u0627\u0645",
		line("\x85A"):                                          "AZ\u05c1",
		line("OWT ENO") + below + line("A"):                    "ONE TWO\nA",
		line("ENO") + left + line("OWT") + left + line("EVIF"): "ONE TWO FIVE",
		line("one") + left + line("two"):                       "one two",
	} {
		got, err := extract.Extract(t.Context(), pdfWithFont(content, "<< /Type /Font /Subtype /TrueType /BaseFont /X /ToUnicode 6 0 R >>", cmap), extract.Options{})
		if text := capitals.Replace(got.Text); err != nil || text != want {
			t.Errorf("Extract(%s) = %q, %v, want %q", content, text, err, want)
		}
	}
}

// Fonts of Chinese and Japanese texts state some thousand codes.
func TestAFontMayStateManyCodes(t *testing.T) {
	var chars, text strings.Builder
	want := make([]rune, 5000)
	for i := range want {
		want[i] = rune(0x4e00 + i)
		fmt.Fprintf(&chars, "1 beginbfchar <%04x> <%04x> endbfchar\n", i+1, want[i])
		fmt.Fprintf(&text, "%04x", i+1)
	}
	content := "BT /F1 1 Tf 0 700 Td <" + text.String() + "> Tj ET"
	file := pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 << /Subtype /Type0 /Encoding /Identity-H /ToUnicode 5 0 R /DescendantFonts [<< >>] >> >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", chars.Len(), chars.String()), "<< >>")
	if got, err := extract.Extract(t.Context(), file, extract.Options{}); err != nil || got.Text != string(want) {
		t.Errorf("Extract() = %d bytes with %v, %v, want all %d letters", len(got.Text), got.Warnings, err, len(want))
	}
}

func TestAPDFMayBeginAndEndInOtherWays(t *testing.T) {
	file := string(pdf(deflate("BT /F1 10 Tf (seen) Tj ET", "", 0)).Data)
	for name, data := range map[string]string{
		"a version of its own":    strings.Replace(file, "%PDF-1.4\n", "%PDF-2.0\n", 1),
		"a space at the end":      strings.Replace(file, "%PDF-1.4\n", "%PDF-1.4 ", 1),
		"something before it":     "HTTP/1.1 200 OK\r\n\r\n" + file,
		"something behind it":     file + "<!-- served in 3 ms -->\n" + strings.Repeat("\x00", 300),
		"as the library wants it": file,
	} {
		got, err := extract.Extract(t.Context(), extract.Source{ContentType: "application/pdf", Data: []byte(data)}, extract.Options{})
		if err != nil || got.Text != "seen" {
			t.Errorf("%s: Extract() = %q, %v, want %q", name, got.Text, err, "seen")
		}
	}
}

// What decrypts such a file reads noise of it, which is no scan.
func TestAPDFWithAShortKeyIsEncrypted(t *testing.T) {
	const key = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <0000000000000000000000000000000000000000000000000000000000000000>" +
		" /U <a2131391556101128e64737bb2f0fb1452b6beed66a7e0dbcc3276f389ab335f> >> /ID [<00> <00>]"
	file := strings.Replace(string(formed("BT /F1 10 Tf (noise) Tj ET").Data), "/Root 1 0 R", "/Root 1 0 R "+key, 1)
	_, err := extract.Extract(t.Context(), extract.Source{ContentType: "application/pdf", Data: []byte(file)}, extract.Options{})
	if fault.ReasonOf(err) != extract.ReasonInvalid || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("Extract() = %v, want that it is encrypted", err)
	}
}

func TestAPDFWhoseTableIsWrongIsRead(t *testing.T) {
	file := string(formed("BT /F1 10 Tf 72 720 Td (seen) Tj ET q").Data)
	file = strings.Replace(file, "/Resources << /XObject", "/Resources << /Font << /F1 5 0 R >> /XObject", 1)
	before, _, _ := strings.Cut(file, "startxref")
	for name, data := range map[string]string{
		"moved":                      strings.Replace(file, "%PDF-1.4\n", "%PDF-1.4\n% a line more\n", 1),
		"taken for text":             strings.ReplaceAll(file, "\n", "\r\n"),
		"cut":                        before[:len(before)-40],
		"a start that is nowhere":    before + "startxref\n99999\n%%EOF",
		"with a later object":        strings.Replace(file, "xref\n0", "4 0 obj\n<< /Length 37 >>\nstream\nBT /F1 10 Tf 72 720 Td (later) Tj ET q\nendstream\nendobj\nxref\n0", 1),
		"with a catalog among text":  strings.Replace(file, "1 0 obj", "90 0 obj\n(/Type /Catalogue)\nendobj\n1 0 obj", 1),
		"with numbers beyond bounds": strings.Replace(file, "1 0 obj", "9999999 0 obj\n<< >>\nendobj\n1 0 obj", 1),
	} {
		got, err := extract.Extract(t.Context(), extract.Source{ContentType: "application/pdf", Data: []byte(data)}, extract.Options{})
		want := "seen"
		if strings.Contains(data, "later") {
			want = "later"
		}
		if err != nil || got.Text != want || !slices.Contains(got.Warnings, extract.WarnIncomplete) {
			t.Errorf("%s: Extract() = %q with %v, %v, want %q, and %s", name, got.Text, got.Warnings, err, want, extract.WarnIncomplete)
		}
	}
}

func TestWhatCanBeReadOfABrokenStreamIsRead(t *testing.T) {
	content := deflate("BT /F1 10 Tf "+strings.Repeat("(a line of it) Tj T* ", 500)+"ET", "", 0)
	got, err := extract.Extract(t.Context(), pdf(content[:len(content)-8]), extract.Options{})
	if err != nil || !strings.HasPrefix(got.Text, "a line of it") || !slices.Contains(got.Warnings, extract.WarnIncomplete) {
		t.Errorf("Extract() = %.40q with %v, %v, want what comes before the break, and %s", got.Text, got.Warnings, err, extract.WarnIncomplete)
	}
}

func TestAPDFIsReadWithItsFieldsAndLinks(t *testing.T) {
	look := func(content string) string {
		return fmt.Sprintf("<< /Subtype /Form /BBox [0 0 100 20] /Resources << /Font << /F1 5 0 R >> >> /Length %d >>\nstream\n%s\nendstream", len(content), content)
	}
	file := pdfFile("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots ["+
			"<< /Subtype /Widget /Rect [120 715 220 735] /AP << /N 6 0 R >> >>"+
			"<< /Subtype /Widget /Rect [72 690 172 710] /AS /Yes /AP << /N << /Yes 7 0 R /Off 8 0 R >> >> >>"+
			"<< /Subtype /Widget /F 2 /Rect [72 690 172 710] /AP << /N 8 0 R >> >>"+
			"<< /Subtype /Widget /Rect [700 690 800 710] /AP << /N 8 0 R >> >>"+
			"<< /Subtype /Link /Rect [0 0 1 1] /A << /S /URI /URI (https://site.test/rules) >> >>"+
			"<< /Subtype /Link /Rect [0 0 1 1] /A << /S /URI /URI (javascript:alert\\(1\\)) >> >>"+
			"<< /Subtype /Link /Rect [0 0 1 1] /A << /S /GoTo /D [3 0 R] >> >> ] >>",
		"<< /Length 41 >>\nstream\nBT /F1 10 Tf 72 720 Td (Name:) Tj ET q q q\nendstream",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		look("/Tx BMC BT /F1 10 Tf 2 5 Td (Ann Lee) Tj ET EMC"), look("BT /F1 10 Tf 2 5 Td (agreed) Tj ET"), look("BT /F1 10 Tf 2 5 Td (hidden) Tj ET"), "<< >>")
	got, err := extract.Extract(t.Context(), file, extract.Options{})
	if want := "Name: Ann Lee\n\nagreed"; err != nil || got.Text != want {
		t.Errorf("Extract() = %q, %v, want %q", got.Text, err, want)
	}
	got, err = extract.Extract(t.Context(), file, extract.Options{Format: extract.Links})
	if !strings.Contains(got.Text, `"https://site.test/rules"`) || strings.Contains(got.Text, "alert") || err != nil {
		t.Errorf("Extract(links) = %s, %v, want the link of the page that can be followed", got.Text, err)
	}
}

func TestAllPagesOfAPDFAreRead(t *testing.T) {
	content := func(word string) string {
		text := "BT /F1 10 Tf 72 720 Td (" + word + ") Tj 500 0 Td (cut) Tj ET"
		return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(text), text)
	}
	for name, test := range map[string]struct {
		group, inner string
		want         string
		missing      bool
	}{
		"in groups":           {"/Kids [3 0 R 4 0 R 6 0 R] /Count 3", "/Kids [5 0 R] /Count 1", "one\n\ntwo\n\nthree", false},
		"with a wrong count":  {"/Kids [3 0 R 4 0 R 6 0 R] /Count 1", "/Kids [5 0 R] /Count 7", "one\n\ntwo\n\nthree", false},
		"with one missing":    {"/Kids [3 0 R 99 0 R 6 0 R] /Count 3", "/Kids []", "one\n\nthree", false},
		"with one broken":     {"/Kids [3 0 R 12 0 R 6 0 R] /Count 3", "/Kids []", "one\n\nthree", true},
		"in groups in a ring": {"/Kids [3 0 R 4 0 R 6 0 R] /Count 3", "/Kids [5 0 R 2 0 R] /Count 1", "one\n\ntwo\n\none\n\ntwo", true},
	} {
		file := pdfFile("<< /Type /Catalog /Pages 2 0 R >>",
			"<< /Type /Pages /MediaBox [0 0 612 792] /CropBox [0 0 400 792] /Resources << /Font << /F1 7 0 R >> >> "+test.group+" >>",
			"<< /Type /Page /Contents 8 0 R >>", "<< /Type /Pages "+test.inner+" >>", "<< /Contents 9 0 R >>", "<< /Type /Page /Contents [10 0 R] >>",
			"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", content("one"), content("two"), content("three"), "<< >>", "<< /Kids ]", "<< >>")
		got, err := extract.Extract(t.Context(), file, extract.Options{})
		if err != nil || !strings.HasPrefix(got.Text, test.want) || slices.Contains(got.Warnings, extract.WarnIncomplete) != test.missing {
			t.Errorf("%s: Extract() = %.60q with %v, %v, want %q, and that pages are missing: %t", name, got.Text, got.Warnings, err, test.want, test.missing)
		}
	}
}

// layered returns a file of one page with layers, of which the settings say what is shown.
func layered(settings, content string) extract.Source {
	return pdfFile("<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R 7 0 R] /D << "+settings+" >> >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [612 0 0 792] >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /Properties << /L1 6 0 R /L2 7 0 R /G 8 0 R /E 9 0 R >>"+
			" /ExtGState << /Clear << /ca 0 >> /Full << /ca 1.0 >> /Other << /LW 1 >> >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", "<< /Type /OCG /Name (x) >>", "<< /Type /OCG /Name (x) >>",
		"<< /Type /OCMD /OCGs 7 0 R >>", "<< /Type /OCMD /OCGs [6 0 R 7 0 R] >>", "<< >>")
}

func TestWhatAPDFDoesNotShowIsNotRead(t *testing.T) {
	const seen = "BT /F1 10 Tf 72 720 Td (seen) Tj ET "
	const off = "/OFF [7 0 R]"
	for name, test := range map[string]struct{ settings, content, want string }{
		"a layer that is off":            {off, seen + "/OC /L2 BDC BT /F1 10 Tf 72 700 Td (hidden) Tj ET EMC", "seen"},
		"one of two layers":              {off, "/OC /L1 BDC " + seen + "/OC /L2 BDC /P BMC BT /F1 10 Tf (hidden) Tj ET EMC EMC EMC", "seen"},
		"what comes behind it":           {off, "/OC /L2 BDC BT /F1 10 Tf 72 700 Td (hidden) Tj ET EMC " + seen, "seen"},
		"a group of layers that are off": {off, seen + "/OC /G BDC BT /F1 10 Tf 72 700 Td (hidden) Tj ET EMC", "seen"},
		"a group with one that is on":    {off, "/OC /E BDC " + seen + "EMC", "seen"},
		"all layers but one":             {"/BaseState /OFF /ON [6 0 R]", "/OC /L1 BDC " + seen + "EMC /OC /L2 BDC BT /F1 10 Tf 72 700 Td (hidden) Tj ET EMC", "seen"},
		"other marks":                    {off, "/Span << /Lang (en) >> BDC " + seen + "EMC", "seen"},
		"no colour":                      {"", seen + "q /Clear gs BT /F1 10 Tf 72 700 Td (hidden) Tj ET Q /Full gs /Other gs", "seen"},
		"letters that are not drawn":     {"", seen + "BT 3 Tr /F1 10 Tf 72 700 Td (hidden and more) Tj ET", "seen"},
		"letters drawn again":            {"", "BT 3 Tr /F1 10 Tf 72 720 Td (hidden) Tj 0 Tr ( seen) Tj ET", "seen"},
		"a scan":                         {"", "q 612 0 0 792 0 0 cm /Im1 Do Q BT /F1 6 Tf 10 10 Td (Page 1) Tj ET BT 3 Tr /F1 10 Tf 72 720 Td (what was read of it) Tj ET", "Page 1\n\nwhat was read of it"},
		"a scan without its picture":     {"", "BT 3 Tr /F1 10 Tf 72 720 Td (what was read of it) Tj ET", "what was read of it"},
		"beside the page":                {"", seen + "BT /F1 10 Tf 700 700 Td (hidden) Tj 1 0 0 1 72 -50 Tm (hidden) Tj 1 0 0 1 72 900 Tm (hidden) Tj ET", "seen"},
		"beside a page that is moved":    {"", "q 1 0 0 1 700 800 cm BT /F1 10 Tf -628 -80 Td (seen) Tj 628 0 Td (hidden) Tj ET Q", "seen"},
		"all beside the page":            {"", "BT /F1 10 Tf 700 900 Td (what is not understood) Tj ET", "what is not understood"},
	} {
		got, err := extract.Extract(t.Context(), layered(test.settings, test.content), extract.Options{})
		if err != nil || got.Text != test.want {
			t.Errorf("%s: Extract(%s, %s) = %q, %v, want %q", name, test.settings, test.content, got.Text, err, test.want)
		}
	}
}

func TestAPDFThatTakesTooLongIsNoScan(t *testing.T) {
	_, err := extract.Extract(t.Context(), pdf(deflate("", "q Q q Q ", 64<<20)), extract.Options{})
	if fault.ReasonOf(err) != extract.ReasonTooComplex || strings.Contains(err.Error(), "scanned") {
		t.Errorf("Extract() = %v, want %s", err, extract.ReasonTooComplex)
	}
}

// formed returns a file of one page that draws forms by their names.
func formed(content string, forms ...string) extract.Source {
	var names strings.Builder
	for i := range forms {
		fmt.Fprintf(&names, "/X%d %d 0 R ", i+1, 7+i)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << " + names.String() + ">> /ExtGState << /Clear << /ca 0 >> >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", "<< /Type /OCG /Name (x) >>",
	}
	for _, form := range forms {
		entries, content, _ := strings.Cut(form, "|")
		objects = append(objects, fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> /XObject << %s>> >> %s /Length %d >>\nstream\n%s\nendstream",
			names.String(), entries, len(content), content))
	}
	return pdfFile(append(objects, "<< >>")...)
}

func TestAPDFIsReadInItsForms(t *testing.T) {
	const seen = "|BT /F1 10 Tf 72 720 Td (seen) Tj ET"
	for name, test := range map[string]struct {
		file extract.Source
		want string
	}{
		"a page that is a form":       {formed("/X1 Do", seen), "seen"},
		"a form in a form":            {formed("/X1 Do", "|/X2 Do", seen), "seen"},
		"two forms":                   {formed("/X1 Do /X2 Do", seen, "|BT /F1 10 Tf 72 700 Td (too) Tj ET"), "seen\n\ntoo"},
		"a form that is moved":        {formed("1 0 0 1 0 -700 cm /X1 Do", "/Matrix [1 0 0 1 0 700]"+seen), "seen"},
		"a form beside the page":      {formed("/X1 Do /X2 Do", seen, "/Matrix [1 0 0 1 700 0]|BT /F1 10 Tf 72 700 Td (hidden) Tj ET"), "seen"},
		"a form of a layer":           {formed("/X1 Do /X2 Do", seen, "/OC 6 0 R|BT /F1 10 Tf 72 700 Td (hidden) Tj ET"), "seen"},
		"a form without colour":       {formed("/X1 Do /Clear gs /X2 Do", seen, "|BT /F1 10 Tf 72 700 Td (hidden) Tj ET"), "seen"},
		"states that a form restores": {formed("q /X1 Do Q /X2 Do", "|Q Q 1 g q q", seen), "seen"},
		"a broken form":               {formed("/X1 Do /X2 Do", seen, "|BT (of) (two) Tj ET"), "seen"},
	} {
		got, err := extract.Extract(t.Context(), test.file, extract.Options{})
		if err != nil || got.Text != test.want {
			t.Errorf("%s: Extract() = %q, %v, want %q", name, got.Text, err, test.want)
		}
	}
}

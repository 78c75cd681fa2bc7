package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

// samples are texts in the languages of the encodings of the web.
var samples = map[string]string{
	"shift_jis":    "定足数とは、会議が成立するために必要な出席者の数のことである。多くの規則では、構成員の過半数とされている。決定は全員のものとみなされる。",
	"euc-jp":       "定足数とは、会議が成立するために必要な出席者の数のことである。多くの規則では、構成員の過半数とされている。決定は全員のものとみなされる。",
	"iso-2022-jp":  "定足数とは、会議が成立するために必要な出席者の数のことである。多くの規則では、構成員の過半数とされている。決定は全員のものとみなされる。",
	"euc-kr":       "정족수는 회의가 성립하기 위해 필요한 출석자의 수이다. 많은 규칙에서는 구성원의 과반수로 정하고 있다. 결정은 모두의 것으로 본다.",
	"gbk":          "法定人数是指会议有效召开所必需的出席人数。许多规则规定为成员的过半数。这样作出的决定被视为全体成员的决定。",
	"gb18030":      "法定人数是指会议有效召开所必需的出席人数。许多规则规定为成员的过半数。这样作出的决定被视为全体成员的决定。",
	"big5":         "法定人數是指會議有效召開所必需的出席人數。許多規則規定為成員的過半數。這樣作出的決定被視為全體成員的決定。",
	"windows-1251": "Кворум — это число членов собрания, присутствие которых необходимо, чтобы решения считались принятыми всеми.",
	"koi8-r":       "Кворум есть число членов собрания, присутствие которых необходимо, чтобы решения считались принятыми всеми.",
	"windows-1252": "Un quórum es el número de miembros que han de estar allí; así la decisión vale para todos, también mañana. Où ça? Für Größe und Übung.",
	"iso-8859-2":   "Kworum to liczba członków, których obecność jest konieczna, żeby postanowienia były ważne także dla pozostałych. Źdźbło, żółć, łąka, ćma.",
	"windows-1253": "Απαρτία είναι ο αριθμός των μελών που πρέπει να είναι παρόντα, ώστε η απόφασή τους να ισχύει για όλους.",
	"utf-8":        "定足数とは、会議が成立するために必要な出席者の数のことである。Größe, żółć, число.",
}

// situations are what servers and pages say about an encoding.
var situations = map[string]func(name string) (contentType, head string){
	"the header says it": func(name string) (string, string) { return "text/html; charset=" + name, "" },
	"the page says it":   func(name string) (string, string) { return "text/html", `<meta charset="` + name + `">` },
	"the page says it late": func(name string) (string, string) {
		return "text/html", strings.Repeat("<!-- late -->", 200) + `<meta charset="` + name + `">`
	},
	"nobody says it": func(string) (string, string) { return "text/html", strings.Repeat("<!-- ascii -->", 100) },
	"the header says latin1 wrongly": func(name string) (string, string) {
		return "text/html; charset=iso-8859-1", `<meta http-equiv="Content-Type" content="text/html; charset=` + name + `">`
	},
	"the header says utf-8 wrongly": func(name string) (string, string) { return "text/html; charset=utf-8", `<meta charset=` + name + `>` },
}

func TestCharsetsOfTheWeb(t *testing.T) {
	right, all := 0, 0
	var wrong []string
	for name, sample := range samples {
		e, _ := charset.Lookup(name)
		for situation, says := range situations {
			contentType, head := says(name)
			body, err := e.NewEncoder().String("<html><head>" + head + "</head><body><p>" + sample + "</p></body></html>")
			if err != nil {
				t.Fatalf("encode as %s: %v", name, err)
			}
			all++
			got := read(t, contentType, body, extract.Options{Format: extract.Text})
			if got.Text == sample {
				right++
				continue
			}
			wrong = append(wrong, fmt.Sprintf("%s, %s: read as %s: %.40q", name, situation, got.Charset, got.Text))
		}
	}
	t.Logf("%d of %d right; wrong: %s", right, all, strings.Join(wrong, "; "))
	if right < all || all != 78 {
		t.Errorf("%d of %d encodings were read right, want all 78", right, all)
	}
}

func TestCharsetIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		contentType, body, want string
	}{
		"a mark":                  {"text/html", "\ufeff<p>a", "utf-8"},
		"a mark of UTF-16":        {"text/html", "\xff\xfe<\x00p\x00>\x00a\x00", "utf-16le"},
		"a null in a few bytes":   {"text/plain", "000\x00", "utf-8"},
		"valid UTF-8":             {"text/html; charset=shift_jis", "<p>ä", "utf-8"},
		"the header":              {"text/plain; charset=windows-1251", "\xcf\xf0\xe8", "windows-1251"},
		"the header in a quote":   {"text/plain; charset='iso-8859-2'", "Za\xbf\xf3\xb3\xe6", "iso-8859-2"},
		"a quote left open":       {"text/plain; charset=\"iso-8859-2", "Za\xbf\xf3\xb3\xe6", "iso-8859-2"},
		"the header twice":        {"text/plain; charset=iso-8859-2; charset=iso-8859-2", "Za\xbf\xf3\xb3\xe6", "iso-8859-2"},
		"the second of two types": {"text/plain, text/plain; Charset = iso-8859-2", "Za\xbf\xf3\xb3\xe6", "iso-8859-2"},
		"without its semicolon":   {"text/plain charset=iso-8859-2", "Za\xbf\xf3\xb3\xe6", "iso-8859-2"},
		"another parameter":       {"text/plain; x-charset=iso-8859-2", "Za\xbf\xf3\xb3\xe6", "windows-1252"},
		"a label that is unknown": {"text/plain; charset=klingon", "\xe4", "windows-1252"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, test.contentType, test.body, extract.Options{}).Charset; got != test.want {
				t.Errorf("Extract(%q).Charset = %q, want %q", test.body, got, test.want)
			}
		})
	}
}

func TestUTF16WithoutAMark(t *testing.T) {
	const page = `<!doctype html><html><head><title>A title</title></head><body><p>A &amp; <b>quorum</b>.</p>%s</body></html>`
	for name, sample := range map[string]string{"ASCII": "", "Japanese": "　" + samples["shift_jis"]} {
		for charsetName, order := range map[string]unicode.Endianness{"utf-16le": unicode.LittleEndian, "utf-16be": unicode.BigEndian} {
			body, err := unicode.UTF16(order, unicode.IgnoreBOM).NewEncoder().String(fmt.Sprintf(page, sample))
			if err != nil {
				t.Fatal(err)
			}
			for _, contentType := range []string{"text/html", "text/html; charset=utf-16", "text/html; charset=" + charsetName} {
				got := read(t, contentType, body, extract.Options{Format: extract.Text})
				if want := strings.TrimSpace("A & quorum.\n\n" + strings.TrimSpace(sample)); got.Text != want || got.Charset != charsetName || got.Title != "A title" {
					t.Errorf("%s: Extract(%s, in %s) = %q, %v, want %q", name, contentType, charsetName, got.Text, got.Charset, want)
				}
			}
		}
	}
}

func TestUTF32HasAMark(t *testing.T) {
	const text = "Größe, żółć, 定足数"
	for _, order := range []utf32.Endianness{utf32.BigEndian, utf32.LittleEndian} {
		body, err := utf32.UTF32(order, utf32.UseBOM).NewEncoder().String("<p>" + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, "text/html; charset=utf-8", body, extract.Options{}); got.Text != text || got.Charset != "utf-32" {
			t.Errorf("Extract(UTF-32) = %q in %s, want %q", got.Text, got.Charset, text)
		}
	}
}

func TestPolishIsReadInEitherOfItsEncodings(t *testing.T) {
	for _, text := range []string{
		"Radni miasta zgodzili się na budowę nowej biblioteki. Burmistrz powiedział, że mieszkańcy długo na nią czekali, a prace zaczną się w kwietniu.",
		samples["iso-8859-2"],
	} {
		for _, name := range []string{"windows-1250", "iso-8859-2"} {
			e, _ := charset.Lookup(name)
			body, err := e.NewEncoder().String("<p>" + text)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, "text/html", body, extract.Options{}); got.Text != text {
				t.Errorf("Extract(Polish in %s) = %q in %s, want %q", name, got.Text, got.Charset, text)
			}
		}
	}
}

func TestAGuessIsAlwaysTheSame(t *testing.T) {
	for text, want := range map[string]string{
		"Za\xbf\xf3\xb3\xe6":    "windows-1252", // four encodings of the east are as likely, for all that is known
		"\xc0\xc9\xc8":          "windows-1252", // or Japanese
		"\xc4rzte":              "windows-1252", // or that of Poland
		"Stra\xdfe, K\xf6ln":    "iso-8859-2",   // or that of Turkey; the letters are the same
		"\x93\xfa\x96{\x8c\xea": "windows-1252", // which browsers take, too
	} {
		for range 100 {
			if got := read(t, "text/html", "<html><body><p>"+text+"</p></body></html>", extract.Options{}).Charset; got != want {
				t.Errorf("Extract(%q).Charset = %q, want %q each time", text, got, want)
				break
			}
		}
	}
}

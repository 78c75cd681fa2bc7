package webfetch_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch"
)

const longMarkdown = "# Title\n\nSome words with [a link](https://site.test/a_(b)?c=d) and ![an image](https://site.test/i.png) in them.\n\n" +
	"```go\nfunc main() {\n\tprintln(\"[not](a link)\")\n}\n```\n\n" +
	"| Member | Vote |\n|---|---|\n| Ada | yes |\n| Bob | [no](https://site.test/no) |\n\n" +
	"- one\n- two\n\n  ~~~\n  > in an item\n  - ```\n  ~~~\n\n> said\n> ````\n> ```\n> quoted\n> ````\n\n[![both](https://site.test/b.png)](https://site.test/b) 日本語のテキスト\n"

func TestNothingIsCutInTwo(t *testing.T) {
	t.Parallel()
	f, site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600") // a site is asked no faster than its pace
		send("text/markdown; charset=utf-8", longMarkdown)(w, r)
	})
	whole := strings.Trim(longMarkdown, "\n")
	for size := 1; size <= len(whole); size++ {
		var got strings.Builder
		for start := 0; ; {
			p, err := f.Fetch(t.Context(), webfetch.Request{URL: site, MaxCharacters: size, StartIndex: start})
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(p.Content)
			checkPart(t, size, &p)
			if p.NextIndex == 0 {
				break
			}
			if p.NextIndex <= start || p.TruncatedAt != int64(got.Len()) || len([]rune(p.Content)) > size {
				t.Fatalf("Fetch(%d characters from %d) = %q, next %d at byte %d, want to get on by at most that, at byte %d", size, start, p.Content, p.NextIndex, p.TruncatedAt, got.Len())
			}
			start = p.NextIndex
		}
		if got.String() != whole {
			t.Fatalf("the parts of %d characters together are %q, want the whole", size, got.String())
		}
	}
}

// checkPart reports what a part of the document cuts in two although it is no longer than the part may be.
func checkPart(t *testing.T, size int, p *webfetch.Page) {
	t.Helper()
	alone := p.Opening + p.Content + p.Closing
	if n := len([]rune(alone)); n > size {
		t.Errorf("in parts of %d characters, %q has %d", size, alone, n)
	}
	const shortest = 32 // in less there is no room for the line of a marker
	if size >= shortest && openFence(alone) {
		t.Errorf("in parts of %d characters, %q leaves a fence open", size, alone)
	}
	if p.NextIndex == 0 {
		return
	}
	rest := string([]rune(strings.Trim(longMarkdown, "\n"))[p.NextIndex:])
	line := p.Content[strings.LastIndexByte(p.Content, '\n')+1:]
	if strings.HasPrefix(line, "|") && len(p.Content) > len(line) {
		t.Errorf("in parts of %d characters, one ends in the row %q", size, line)
	}
	for _, link := range []string{"[a link](https://site.test/a_(b)?c=d)", "![an image](https://site.test/i.png)", "[![both](https://site.test/b.png)](https://site.test/b)"} {
		for i := 1; i < len(link); i++ {
			if strings.HasSuffix(p.Content, link[:i]) && strings.HasPrefix(rest, link[i:]) && p.Content != link[:i] && !strings.Contains(link[i:], link[:i]) {
				t.Errorf("in parts of %d characters, one ends in the link %q: %q", size, link, p.Content)
			}
		}
	}
}

// openFence reads fences as CommonMark does, those in quotes and items too.
func openFence(text string) bool {
	open := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(line, " >"))
		for _, mark := range []string{"````", "```", "~~~"} {
			if !strings.HasPrefix(line, mark) {
				continue
			}
			if open == "" {
				open = mark
			} else if line == open {
				open = ""
			}
			break
		}
	}
	return open != ""
}

func TestAPartOfACodeBlockStandsAlone(t *testing.T) {
	t.Parallel()
	f, site := serve(t, send("text/markdown", "```go\n"+strings.Repeat("a := 1\n", 50)+"```\n"))
	p, err := f.Fetch(t.Context(), webfetch.Request{URL: site, MaxCharacters: 100, StartIndex: 90})
	if err != nil || p.Opening != "```go\n" || p.Closing != "```" || p.Text() != p.Opening+p.Content+p.Closing+"\n\n... [truncated]" {
		t.Errorf("Fetch(the middle of a code block) = %q, %q, %q, %v, want it opened and closed", p.Opening, p.Content, p.Closing, err)
	}
}

func TestAFenceOfAnyLengthLeavesNoPartTooLong(t *testing.T) {
	t.Parallel()
	fence := strings.Repeat("`", 5000)
	whole := fence + "\n" + strings.Repeat("a := 1\n", 2000) + fence
	f, site := serve(t, with("Cache-Control", "max-age=3600", send("text/markdown", whole)))
	const size = 1000
	var got strings.Builder
	for start := 0; ; {
		p, err := f.Fetch(t.Context(), webfetch.Request{URL: site, MaxCharacters: size, StartIndex: start})
		if alone := p.Opening + p.Content + p.Closing; err != nil || p.Content == "" || len(alone) > size {
			t.Fatalf("Fetch(%d characters from %d) = %.100q... with %d characters, %v, want some, and at most that", size, start, alone, len(alone), err)
		}
		got.WriteString(p.Content)
		if start = p.NextIndex; start == 0 {
			break
		}
	}
	if got.String() != whole {
		t.Errorf("the parts together have %d bytes, want the whole with %d", got.Len(), len(whole))
	}
}

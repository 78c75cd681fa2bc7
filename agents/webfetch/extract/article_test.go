package extract_test

import (
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

const sentence = "The committee met on Tuesday, heard both sides, and put off its decision until the report is done. "

func TestTheContentIsFoundWhateverItStandsIn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<p>"+sentence+"</p>", 12)
	links := strings.Repeat(`<li><a href="/s">Another section of this site</a></li>`, 30)
	tests := map[string]struct{ body, want string }{
		"in paragraphs":                                {"<article><h1>Delay</h1>" + long + "</article>", sentence},
		"in a form, which one library drops":           {"<form>" + long + "</form>", sentence},
		"in divs without a name":                       {"<div><div>" + strings.ReplaceAll(strings.ReplaceAll(long, "<p>", "<div>"), "</p>", "</div>") + "</div></div>", sentence},
		"in one cell of a table":                       {"<table><tr><td><ul>" + links + "</ul></td><td>" + long + "</td></tr></table>", sentence},
		"between line breaks":                          {"<div>" + strings.Repeat(sentence+"<br><br>", 12) + "</div>", sentence},
		"far longer than what one library sees":        {"<main><p>" + strings.Repeat(sentence, 3) + "</p></main><section class=story>" + strings.Repeat("<div><span>"+sentence+"</span></div>", 40) + "</section>", sentence},
		"after a teaser that calls itself the article": {"<article><p>" + strings.Repeat("A first look at what was said and done there. ", 8) + "</p></article><div>" + long + long + "<p>The vote is in March, its chair said in the end.</p></div>", "The vote is in March"},
		"in next to no text":                           {"<ul>" + links + "</ul><p>Closed today.</p>", "Closed today."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := "<html><head><title>Delay</title></head><body><nav><ul>" + links + "</ul></nav>" + test.body + "<footer>" + links + "</footer></body></html>"
			content, err := extract.Extract(t.Context(), extract.Source{Data: []byte(page), ContentType: "text/html"}, extract.Options{Format: extract.Text})
			if err != nil {
				t.Fatalf("Extract() = %v, want content", err)
			}
			got := strings.Join(strings.Fields(content.Text), " ")
			if !strings.Contains(got, strings.TrimSpace(test.want)) || strings.Contains(got, "nothing found") || strings.Contains(got, "none") {
				t.Errorf("Extract() = %q, want %q in it and nothing that the page does not say", got, test.want)
			}
		})
	}
}

func TestAShortArticleWithoutSpacesIsTold(t *testing.T) {
	t.Parallel()
	const said, other = "市議会は三日、新しい中央図書館の建設計画を賛成多数で承認した。総工費は約二十億円で、来年四月に着工する予定だ。", "駅前の再開発が始まる"
	page := `<html lang="ja"><body><div class="header"><a href="/">市新聞</a></div><div class="wrap"><h1>新しい図書館</h1><div class="article-body"><p>` + said + `</p><p>市長は「市民が待ち望んだ施設だ」と述べた。</p><p>` +
		`図書館は三階建てで、蔵書は五十万冊を見込み、夜は十時まで開く。</p><p>反対した議員は、今の建物の改修で足りると主張し、住民説明会の開催を求めた。</p></div><div class="ranking"><ul>` +
		strings.Repeat(`<li><a href="/1">`+other+`</a></li>`, 6) + `</ul><p>` + other + `。工事は三年で終わる見通しで、店は順に移る。</p></div></div></body></html>`
	if got := read(t, "text/html", page, extract.Options{}).Text; !strings.Contains(got, said) || strings.Contains(got, other) {
		t.Errorf("Extract() = %s\nwant the article, and not what stands beside it", got)
	}
}

func TestTextBesideParagraphsIsRead(t *testing.T) {
	t.Parallel()
	paragraphs := strings.Repeat("<p>"+sentence+sentence+"</p>", 4)
	const loose = "Nobody knows when the members will meet again, or <b>where</b>, since the hall is being repaired."
	for name, body := range map[string]string{
		"before them":               "<div>" + loose + paragraphs + "</div>",
		"behind a list":             "<div>" + paragraphs + "<ul><li>one of two</li></ul>" + loose + "</div>",
		"in an element of the line": "<div><font>" + loose + paragraphs + "</font></div>",
	} {
		got := read(t, "text/html", "<html><body>"+body+"</body></html>", extract.Options{Format: extract.Text}).Text
		if !strings.Contains(got, "again, or where, since") {
			t.Errorf("%s: Extract() = %q, want all of its text", name, got)
		}
	}
	short := read(t, "text/html", "<html><body><div>Share this"+paragraphs+"</div></body></html>", extract.Options{Format: extract.Text}).Text
	if strings.Contains(short, "Share") {
		t.Errorf("Extract() = %q, want no words beside the text", short)
	}
}

func TestATableThatHoldsThePageIsNoTable(t *testing.T) {
	t.Parallel()
	text := "<p>" + sentence + sentence + "<p>" + sentence + sentence
	page := `<table><tr><td colspan=2><b>Meetings</b></td></tr><tr><td><a href=a>Home</a><br><a href=b>Links</a></td><td><font>` + text + text +
		`<ul><li>the chair</li><li>two members</li></ul>Nobody knows when the members will meet again, since the hall is being repaired.</font></td></tr><tr><td colspan=2>Since 1999</td></tr></table>`
	got := read(t, "text/html", page, extract.Options{}).Text
	for _, want := range []string{sentence, "- the chair\n- two members", "since the hall"} {
		if !strings.Contains(got, strings.TrimSpace(want)) {
			t.Errorf("Extract() = %s\nwant %q in it", got, want)
		}
	}
	if strings.Contains(got, "|") || strings.Contains(got, "Links") {
		t.Errorf("Extract() = %s\nwant no table, and no menu", got)
	}
	data := "<p>" + sentence + "<table><tr><td>1</td><td>" + text + "</td></tr><tr><td>2</td><td>" + text + "</td></tr></table>"
	if got := read(t, "text/html", data, extract.Options{}).Text; !strings.Contains(got, "| 1 |") {
		t.Errorf("Extract() = %s\nwant a table", got)
	}
}

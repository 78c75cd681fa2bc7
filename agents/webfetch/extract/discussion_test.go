package extract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

// Posts of a thread.
const (
	question = "Our statutes say nothing about members who join a meeting by telephone. Do they count for the quorum, and does it matter when they join?"
	answer   = "They count as soon as everybody hears everybody else, and the minutes should say when that was. Ours had a court say so last spring."
	reply    = "Mind that some statutes demand presence in a room, and that a court took such words literally in a case about a cooperative."
	remark   = "A remark about the answer that the page folds away."
)

// qa is a page about a question with its answers, each of which has remarks.
func qa(head, attributes string) string {
	post := func(said string) string {
		return "<div class=post><div class=votes>17</div><div " + attributes + "><p>" + said + "</p><p>" + said[:60] + " is what matters.</p>" + filler + "</div>" +
			"<div class=tools>Share Cite Improve this</div><ul class=comments><li>" + remark + "</ul></div>"
	}
	return "<html><head><title>Quorum by telephone</title>" + head + "</head><body><main><h1>Quorum by telephone</h1><article>" + post(question) + "</article>" +
		"<div id=comments class=comments-area><h2>2 Answers</h2>" + post(answer) + post(reply) + "</div></main><aside>Hot questions of other sites</aside></body></html>"
}

func TestADiscussionIsReadWithItsAnswers(t *testing.T) {
	const tools = "Share Cite Improve this"
	for name, page := range map[string]string{
		"marked, and called so in JSON-LD": qa(`<script type=application/ld+json>{"@type":"QAPage"}</script>`, "itemprop=text"),
		"marked, and called so in markup":  strings.Replace(qa("", "itemprop=text"), "<html", "<html itemscope itemtype='https://schema.org/QAPage'", 1),
		"unmarked":                         qa(`<script type=application/ld+json>{"@type":"WebPage","mainEntity":{"@type":"DiscussionForumPosting"}}</script>`, ""),
		"the first post only in JSON-LD": strings.Replace(
			qa(`<script type=application/ld+json>{"@type":"DiscussionForumPosting","text":"`+question+`"}</script>`, "itemprop=text"), "itemprop=text", "", 1),
		"with more remarks than posts": strings.NewReplacer("article>", "section>", remark, strings.Repeat("<div itemprop=text>"+remark+"</div>", 25)).Replace(
			qa(`<script type=application/ld+json>{"@type":"QAPage"}</script>`, "itemprop=text")),
	} {
		got := read(t, "text/html", page, extract.Options{Format: extract.Text}).Text
		for _, post := range []string{question, answer, reply} {
			if strings.Count(got, post) != 1 {
				t.Errorf("%s: Extract has %d times %q:\n%s", name, strings.Count(got, post), post, got)
			}
		}
		if strings.Contains(got, "Hot questions") || strings.Contains(got, remark) || strings.Contains(page, "itemprop") && strings.Contains(got, tools) {
			t.Errorf("%s: Extract has what stands beside the posts:\n%s", name, got)
		}
	}
}

// stated returns JSON-LD with the text of a question, an answer and a reply to that.
func stated(t *testing.T, question, answer, reply string) string {
	t.Helper()
	said, err := json.Marshal(map[string]any{"@type": "QAPage", "mainEntity": map[string]any{
		"@type": "Question", "text": question,
		"suggestedAnswer": []any{map[string]any{"@type": "Answer", "text": answer, "comment": map[string]any{"@type": "Comment", "text": reply}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return "<script type=application/ld+json>" + string(said) + "</script>"
}

func TestPostsThatJSONLDStatesAreRead(t *testing.T) {
	long := func(said string) string { return strings.Repeat(said+" ", 4) }
	post := func(said string) string {
		return "<div class=post><div>Ann<br>Member<br>17 posts<br>Joined in May</div><div><span>" + long(said) + "</span></div><div>Share this, quote this, report this</div></div>"
	}
	head := stated(t, long(question), long(answer), long(reply))
	for name, body := range map[string]string{
		"and the page shows":    "<div><h1>Quorum by telephone</h1>" + post(question) + post(answer) + post(reply) + "</div>" + strings.Repeat("<div>Another thread<br>by Ben</div>", 150),
		"and the page does not": "<div id=app>This forum needs scripts.</div>",
	} {
		got := read(t, "text/html", "<html><head><title>Quorum by telephone</title>"+head+"</head><body>"+body+"</body></html>", extract.Options{Format: extract.Text}).Text
		for _, said := range []string{question, answer, reply} {
			if strings.Count(got, said) != 4 {
				t.Errorf("%s: Extract has %d times %q, want 4:\n%s", name, strings.Count(got, said), said, got)
			}
		}
		if strings.Contains(got, "quote this") || strings.Contains(got, "Another thread") || strings.Contains(got, "needs scripts") {
			t.Errorf("%s: Extract has what stands beside the posts:\n%s", name, got)
		}
	}
}

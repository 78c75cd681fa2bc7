package extract_test

import (
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

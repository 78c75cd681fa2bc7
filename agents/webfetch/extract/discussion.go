package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// discussions are the types of pages that are a thread of a forum, or a question with its answers (https://schema.org/DiscussionForumPosting,
// https://schema.org/QAPage).
var discussions = wordSet("DiscussionForumPosting QAPage")

// minPosts is the percentage of the visible text that the posts of a discussion have at least.
const minPosts = 20

// readDiscussion notes whether an object in JSON-LD, or what it is about, is a discussion, and the texts of the posts of the first one that has any.
func (r *metadataReader) readDiscussion(page map[string]any) {
	main, _ := page["mainEntity"].(map[string]any)
	for _, object := range []map[string]any{page, main} {
		kind, _ := object["@type"].(string)
		r.thread = r.thread || discussions[kind]
		if !r.thread || r.posts != nil {
			continue
		}
		posts := appendPosts(nil, object)
		if said := strings.Join(posts, "\n"); strings.TrimSpace(said) != "" {
			r.posts = posts
			if len(said) > len(r.body) {
				r.body = said
			}
		}
	}
}

// appendPosts appends the text of a post, which may be empty, and those of its answers.
func appendPosts(list []string, post map[string]any) []string {
	said, _ := post["text"].(string)
	list = append(list, said)
	for _, name := range []string{"comment", "acceptedAnswer", "suggestedAnswer"} {
		answers, several := post[name].([]any)
		if !several {
			answers = []any{post[name]}
		}
		for _, answer := range answers {
			if answer, ok := answer.(map[string]any); ok {
				list = appendPosts(list, answer)
			}
		}
	}
	return list
}

// isDiscussion reports whether a page says, in JSON-LD or in its markup, that it is a discussion.
func isDiscussion(root *html.Node, m Metadata) bool {
	if m.thread {
		return true
	}
	for n := range root.Descendants() {
		if discussions[itemType(n)] {
			return true
		}
	}
	return false
}

// contentNode returns the posts of a discussion that marks them, and what the readability stage finds on any other page. That stage knows articles, and
// takes answers for comments: less than half of a discussion is a mistake. Then the posts that JSON-LD states are the content.
func contentNode(root *html.Node, base *url.URL, visible int, about Metadata) (*html.Node, error) {
	discussion := isDiscussion(root, about)
	if discussion {
		if posts := postsOf(root, about, visible); posts != nil {
			return posts, nil
		}
	}
	found, err := articleNode(root, base, visible)
	if !discussion || err == nil && textSize(found, nil)*2 >= visible {
		return found, err
	}
	if posts := statedText(strings.Join(about.posts, "\n")); len(about.posts) > 1 && enoughPosts(posts, visible) {
		return posts, nil
	}
	return nil, errNoArticle
}

func enoughPosts(posts *html.Node, visible int) bool {
	return textSize(posts, nil)*100 >= visible*minPosts
}

// postsOf returns the texts that a discussion marks as posts, or nil if they are too little of its visible text. The first post may be in JSON-LD only.
func postsOf(root *html.Node, about Metadata, visible int) *html.Node {
	posts := element(atom.Div)
	addPosts(posts, root)
	switch {
	case !enoughPosts(posts, visible):
		return nil
	case len(about.posts) == 0:
		return posts
	}
	opening := about.posts[0]
	said := firstOf(opening)
	if said != "" && !strings.Contains(strings.Join(strings.Fields(textOf(posts)), ""), said) {
		posts.InsertBefore(statedText(opening), posts.FirstChild)
	}
	return posts
}

func addPosts(posts, n *html.Node) {
	for child := range n.ChildNodes() {
		if attribute(child, "itemprop") == "text" {
			posts.AppendChild(reduced(child, nil))
		} else {
			addPosts(posts, child)
		}
	}
}

package extract

import (
	"strings"

	"golang.org/x/net/html"
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// named reports whether a class or the id of n contains one of words.
func named(n *html.Node, words map[string]bool) bool {
	for i := range n.Attr {
		if n.Attr[i].Key != "class" && n.Attr[i].Key != "id" {
			continue
		}
		for name := range strings.FieldsSeq(n.Attr[i].Val) {
			if hasWord(name, words) {
				return true
			}
		}
	}
	return false
}

// maxClass is the maximum length of classes that are examined, in bytes. Longer ones are generated.
const maxClass = 80

// hasWord reports whether a name such as "article-comments" or "articleComments" contains one of words.
func hasWord(name string, words map[string]bool) bool {
	if len(name) > maxClass {
		return false
	}
	begin := 0
	for i := 0; i <= len(name); i++ {
		switch {
		case i == len(name) || name[i] == '-' || name[i] == '_' || name[i] == ':':
		case i > begin && upper(name[i]) && !upper(name[i-1]):
		default:
			continue
		}
		word := strings.ToLower(name[begin:i])
		if begin == 0 && qualifiers[word] {
			return false
		}
		if words[word] {
			return true
		}
		begin = i
		if i < len(name) && !upper(name[i]) {
			begin++
		}
	}
	return false
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// qualifiers begin classes that do not say what an element is: has-sidebar, category-social.
var qualifiers = wordSet("has no not with without is tag category type")

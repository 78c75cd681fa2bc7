package extract

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// languageClass matches the names of languages in the forms of highlight.js, Prism, GitHub, Sphinx, Rouge, SyntaxHighlighter and Pandoc.
var languageClass = regexp.MustCompile(`(?:^|[\s:])(?:language-|lang-|highlight-source-|highlight-|brush:\s*|sourceCode\s+|hljs\s+)([A-Za-z0-9+#_.-]{1,30})(?:$|[\s;])`)

// codeLanguage returns the language of a code block, or "". said has what is known of the elements around other ones: what names a language may be as long
// as the page, and be around all of its code.
func codeLanguage(pre *html.Node, said map[*html.Node]string) string {
	near := []*html.Node{pre}
	for child := range pre.ChildNodes() {
		if child.DataAtom == atom.Code {
			near = append(near, child)
		}
	}
	for p := pre.Parent; p != nil && len(near) < 6 && (p.DataAtom == atom.Div || p.DataAtom == atom.Figure); p = p.Parent {
		near = append(near, p)
	}
	for _, n := range near {
		language, known := said[n]
		if !known {
			language = languageIn(n)
			said[n] = language
		}
		if language != "" {
			return language
		}
	}
	return ""
}

// languageIn returns the language that the attributes of an element name, or "".
func languageIn(n *html.Node) string {
	for _, name := range []string{"data-lang", "data-language", "class"} {
		value := attribute(n, name)
		if name != "class" && value != "" {
			value = "lang-" + value
		}
		if m := languageClass.FindStringSubmatch(value); m != nil && !noLanguage[m[1]] {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

// noLanguage are words in the place of a language.
var noLanguage = wordSet("none text plain default notranslate plaintext source highlight")

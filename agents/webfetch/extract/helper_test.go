package extract_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/extract"
)

// filler makes a page long enough to be an article.
var filler = strings.Repeat("<p>A quorum is the number of members that must be present, so that what they decide counts as a decision of all of them.</p>\n", 6)

// read extracts from a document at https://site.test/dir/page.
func read(t *testing.T, contentType, data string, o extract.Options) extract.Content {
	t.Helper()
	content, err := extract.Extract(t.Context(), source(contentType, data), o)
	if err != nil {
		t.Fatalf("Extract(%.60q) = %v, want content", data, err)
	}
	return content
}

func source(contentType, data string) extract.Source {
	return extract.Source{Data: []byte(data), ContentType: contentType, URL: &url.URL{Scheme: "https", Host: "site.test", Path: "/dir/page"}}
}

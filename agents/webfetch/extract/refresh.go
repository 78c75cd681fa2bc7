package extract

import (
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxRefresh is the longest time, in seconds, after which a refresh counts as a redirect. Pages that reload themselves do so after minutes.
const maxRefresh = 5

// refreshPattern is the content of a refresh: a time in seconds and a URL (https://html.spec.whatwg.org/#shared-declarative-refresh-steps).
var refreshPattern = regexp.MustCompile(`(?is)^\s*(\d*)(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)"?|'([^']*)'?|(.*?))\s*$`)

// Refresh returns the URL to which a meta element of source redirects within a few seconds, as it is written there. It is empty if source is not HTML or
// does not redirect.
func Refresh(source Source) string {
	if kind, _ := kindOf(source); kind != kindHTML {
		return ""
	}
	for s := (scanner{rest: string(source.Data[:min(len(source.Data), metaWindow)])}); s.next(); {
		if s.name != "meta" || s.end || !strings.Contains(strings.ToLower(s.tagged[:min(len(s.tagged), maxLink)]), "refresh") {
			continue
		}
		if to := RefreshURL(refreshContent(s.tagged)); to != "" {
			return to
		}
	}
	return ""
}

// RefreshURL returns the URL in the value of a Refresh header, or in the content of such a meta element, as it is written there. It is empty if there is
// none, or if it is to be shown later than within a few seconds.
func RefreshURL(value string) string {
	if len(value) > maxLink {
		return ""
	}
	m := refreshPattern.FindStringSubmatch(value)
	if m == nil {
		return ""
	}
	if seconds, err := strconv.Atoi(m[1]); err != nil || seconds > maxRefresh {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(m[2]+m[3]+m[4], "\ufffd"))
}

// refreshContent returns the content of a meta element that is a refresh.
func refreshContent(tag string) string {
	z := html.NewTokenizer(strings.NewReader(tag))
	z.Next()
	content, refresh := "", false
	for _, a := range z.Token().Attr {
		switch a.Key {
		case "http-equiv":
			refresh = strings.EqualFold(strings.TrimSpace(a.Val), "refresh")
		case "content":
			content = a.Val
		}
	}
	if !refresh {
		return ""
	}
	return content
}

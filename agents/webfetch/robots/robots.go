// Package robots parses robots.txt, by RFC 9309: what a site asks crawlers not to read.
package robots

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// MaxBytes is how much of a file is read; the rest is ignored, with the line that it begins in (RFC 9309 section 2.5 asks for at least 500 KiB).
const MaxBytes = 500 << 10

// Limits of what one file may cost. Rules beyond them are ignored. If a path is too long, or matching takes too much work, the path is not allowed.
const (
	maxRules = 20_000
	maxPath  = 8 << 10
	maxWork  = 16 << 20 // bytes compared for one question
	maxDelay = time.Minute
)

// File is a parsed robots.txt. The zero value allows everything.
type File struct{ groups []group }

// group is a set of rules and the product tokens that it is for, in lower case.
type group struct {
	agents []string
	rules  []rule
	delay  time.Duration
}

type rule struct {
	allow   bool
	pattern string
}

// Parse parses a file. Any file is valid.
func Parse(data []byte) *File {
	if len(data) > MaxBytes { // half of a rule is about other paths
		data = data[:bytes.LastIndexAny(data[:MaxBytes+1], "\r\n")+1]
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	f, rules := &File{}, 0
	var current *group
	naming := false // the previous lines name agents, so that one more belongs to the same group
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		key, value, ok := field(string(line))
		if !ok {
			continue
		}
		switch key {
		case "user-agent":
			if !naming {
				f.groups = append(f.groups, group{})
				current = &f.groups[len(f.groups)-1]
			}
			naming = true
			current.agents = append(current.agents, strings.ToLower(value))
		case "allow", "disallow":
			naming = false
			if current == nil || value == "" || rules >= maxRules { // a rule before the first group applies to nobody; an empty one has no effect
				continue
			}
			rules++
			current.rules = append(current.rules, rule{allow: key == "allow", pattern: patternOf(value)})
		case "crawl-delay": // not in the RFC, but widely used; unknown keys do not separate groups (section 2.2.4)
			if seconds, err := strconv.ParseFloat(value, 64); err == nil && current != nil && seconds > 0 {
				current.delay = min(time.Duration(min(seconds, maxDelay.Seconds())*float64(time.Second)), maxDelay)
			}
		}
	}
	return f
}

// field splits a line into its key in lower case and its value. Real files have some more spellings of the RFC's keys.
func field(line string) (key, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok = strings.Cut(line, ":")
	key = strings.ToLower(strings.TrimSpace(key))
	switch key {
	case "useragent", "user agent":
		key = "user-agent"
	case "dissallow", "disalow", "dissalow", "diasllow", "disallaw":
		key = "disallow"
	}
	return key, strings.TrimSpace(value), ok
}

// Verdict is what a file says about one path.
type Verdict struct {
	Allowed bool
	Rule    string        // the pattern that decided; empty when none matched
	Delay   time.Duration // between two requests; 0 when the file asks for none
}

// Test reports whether the crawler with the product token agent may read path, which begins with a slash and includes the query.
func (f *File) Test(agent, path string) Verdict {
	rules, delay := f.rulesFor(agent)
	v := Verdict{Allowed: true, Delay: delay}
	if path == "/robots.txt" {
		return v
	}
	if len(path) > maxPath {
		v.Allowed = len(rules) == 0
		return v
	}
	path, longest, work := literal.Replace(normalise(path)), -1, 0
	for _, r := range rules {
		if len(r.pattern) < longest || len(r.pattern) == longest && !r.allow {
			continue // the longest pattern decides; allow wins a tie (section 2.2.2)
		}
		if work += (1 + strings.Count(r.pattern, "*")) * len(path); work > maxWork {
			return Verdict{Rule: r.pattern, Delay: delay}
		}
		if matches(r.pattern, path) {
			longest, v.Allowed, v.Rule = len(r.pattern), r.allow, r.pattern
		}
	}
	return v
}

// rulesFor returns the rules of all groups for agent, or else those for all crawlers.
func (f *File) rulesFor(agent string) (rules []rule, delay time.Duration) {
	token := productToken(strings.ToLower(agent))
	for _, wanted := range []string{token, "*"} {
		found := false
		for _, g := range f.groups {
			for _, name := range g.agents {
				if wanted != "" && (name == wanted || productToken(name) == wanted) { // no group names an agent without a token
					found = true
					rules, delay = append(rules, g.rules...), max(delay, g.delay)
					break
				}
			}
		}
		if found {
			return rules, delay
		}
	}
	return nil, 0
}

// productToken returns the product token at the beginning of name: letters, hyphens and underscores (section 2.2.1).
func productToken(name string) string {
	end := strings.IndexFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != '_' })
	if end < 0 {
		return name
	}
	return name[:end]
}

// matches reports whether path begins with pattern, in which * stands for anything and $ at the end for the end of the path.
func matches(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	first, rest, wild := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, first) {
		return false
	}
	path = path[len(first):]
	for wild {
		var part string
		part, rest, wild = strings.Cut(rest, "*")
		if !wild && anchored {
			return strings.HasSuffix(path, part)
		}
		i := strings.Index(path, part)
		if i < 0 {
			return false
		}
		path = path[i+len(part):]
	}
	return !anchored || path == ""
}

// literal encodes the characters that are special in patterns. A pattern means them by these codes (section 2.2.3).
var literal = strings.NewReplacer("*", "%2A", "$", "%24")

// patternOf returns the value of a rule in the form in which paths are compared. Only a dollar at its end is special.
func patternOf(value string) string {
	value, anchored := strings.CutSuffix(normalise(value), "$")
	value = strings.ReplaceAll(value, "$", "%24")
	if anchored {
		value += "$"
	}
	return value
}

const hexDigits = "0123456789ABCDEF"

// normalise returns a path in the form in which paths are compared: non-ASCII characters percent-encoded, and unreserved characters not (section
// 2.2.2).
func normalise(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if decoded, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c, i = byte(decoded), i+2
				if !unreserved(c) {
					b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
					continue
				}
			}
		}
		if c > '~' || c <= ' ' {
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

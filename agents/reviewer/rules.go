package reviewer

import (
	"math"
	"regexp"
	"strings"
)

// rule finds one kind of secret in a line.
type rule struct {
	name  string
	what  string
	finds func(line string) bool
}

var rules = []rule{
	{"aws-access-key-id", "an AWS access key id", pattern(begin + `(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"private-key", "a private key", pattern(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
	{"github-token", "a GitHub token", pattern(begin + `(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b`)},
	{"slack-token", "a Slack token", pattern(begin + `xox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"quorate-token", "a Quorate token", pattern(begin + `quorate_[a-z]+_[0-9A-Za-z]{43}_[0-9a-f]{8}\b`)},
	{"password-assignment", "a password", assignsPassword},
	{"high-entropy-assignment", "what looks like a key or token", assignsRandom},
}

// Text may be JSON, with escapes before a token or around a value: "\nAKIA…" begins a line, and \" is a quote.
const (
	begin = `(?:\b|\\[bfnrt]|\\u[0-9a-fA-F]{4})`
	quote = `(?:\\*["'])?`
)

func pattern(expression string) func(string) bool {
	return regexp.MustCompile(expression).MatchString
}

var passwordAssignment = regexp.MustCompile(`(?i)(?:password|passwd|passphrase|pwd)` + quote + `\s*(=|:)\s*(` + quote + `)([^\s"']{4,})`)

// assignsPassword reports whether a line assigns a password. Any value after an equals sign or in quotes counts. After a bare
// colon the value must contain a digit, because "Password: required" is prose. Placeholders such as <password> and
// ${PASSWORD} do not count.
func assignsPassword(line string) bool {
	for _, match := range passwordAssignment.FindAllStringSubmatch(line, -1) {
		sign, quote, value := match[1], match[2], match[3]
		if strings.ContainsAny(value[:1], "<${[*%") {
			continue
		}
		if sign == "=" || quote != "" || strings.ContainsAny(value, "0123456789") {
			return true
		}
	}
	return false
}

var keyAssignment = regexp.MustCompile(`(?i)(?:secret|token|api[_-]?key|access[_-]?key|credential)[\w.-]*` + quote + `\s*[=:]\s*` + quote + `([A-Za-z0-9+/=_-]{20,})`)

// minEntropy is in bits per character. English words joined by underscores are below it; random base64 of 20 characters or
// more is above it, and so is random hexadecimal.
const minEntropy = 3.0

// assignsRandom reports whether a line assigns a value of 20 characters or more, with letters, digits and high entropy, to a
// name that suggests a secret.
func assignsRandom(line string) bool {
	for _, match := range keyAssignment.FindAllStringSubmatch(line, -1) {
		value := match[1]
		if strings.ContainsAny(value, "0123456789") && strings.ContainsAny(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz") && entropy(value) >= minEntropy {
			return true
		}
	}
	return false
}

// entropy returns the Shannon entropy of text in bits per byte.
func entropy(text string) float64 {
	var counts [256]float64
	for i := range len(text) {
		counts[text[i]]++
	}
	bits, total := 0.0, float64(len(text))
	for _, n := range counts {
		if n > 0 {
			bits -= n / total * math.Log2(n/total)
		}
	}
	return bits
}

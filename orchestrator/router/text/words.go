package text

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// praise are words that say how good an agent is, or that it should be chosen. They are removed from texts and documents alike, so that praise can
// neither raise nor lower a score.
var praise = set(`
	agent agents always amazing awesome best better brilliant choice choose chosen everything excellent excellence exceptional expert
	fantastic favorite finest flawless foremost great greatest guaranteed highly ideal incredible leading most outstanding perfect perfectly
	pick powerful prefer preferred premium prioritize quality recommend recommended reliable select selected smartest superb superior top
	trusted ultimate unbeatable unmatched unrivaled wonderful`)

// fillers are words without a meaning of their own. In an example they help to recognize a request; in a description they would only make it match
// everything.
var fillers = set(`
	a about all also an and any anything are as at be been but by can do does ever every everything first for from get has have here how i
	ignore in instead into is it its let me my need no not now of on one only or other others our out over please request requests so such
	task tasks than that the their them then there these they this to tool tools under up us use used user users using via want was we what
	when where which who why will with you your`)

func set(list string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// address matches URLs: they say what to work on, not which work to do.
var address = regexp.MustCompile(`(?i)\bhttps?://\S+`)

// withoutAddresses replaces each URL by the word url, so that neither its words nor their number count.
func withoutAddresses(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	return address.ReplaceAllString(s, " url ")
}

// Limits of what is read of a text, from its beginning. Longer texts say nothing new, and must not take longer.
const (
	maxText    = 16 << 10 // bytes of a text, or of everything in one place of a card
	maxWords   = 256      // of a query, and of a sentence in a card
	maxLetters = 2048     // of all words together
	maxSaid    = 512      // words in one place of a card, such as its description or its tags; the last sentence is read to its end
)

// within returns the beginning of a list of words with at most so many bytes in total.
func within(list []string, most int) []string {
	for i, w := range list {
		if len(w) > most {
			return append(list[:i:i], strings.ToValidUTF8(w[:most], ""))
		}
		most -= len(w)
	}
	return list
}

// words splits a text into lower-case words: at each character that is neither letter nor digit, and at a capital after a small letter. Scripts
// without spaces yield one word for each pair of characters. If the text is too long, the words are those at its beginning, and all is false.
func words(s string) (out []string, all bool) {
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			out = append(out, slices.DeleteFunc(parted(b.String()), func(w string) bool { return praise[w] })...)
			b.Reset()
		}
	}
	all = len(s) <= maxText
	small, letters := false, 0
	for _, r := range withoutAddresses(s[:min(len(s), maxText)]) {
		r = narrow(r)
		switch {
		case r == '\'' || r == '’', unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me): // don't is one word, and so is one with an invisible character
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mc, r): // vowels of Indian scripts are spacing marks
			end()
			continue
		case unicode.IsUpper(r) && small:
			end()
		}
		if letters++; letters > maxLetters || len(out) >= maxWords {
			all = false
			break
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	end()
	return out[:min(len(out), maxWords)], all && len(out) <= maxWords
}

// narrow returns the usual form of a letter, digit or sign of ASCII in full width, as East Asian keyboards write it, and any other character itself.
func narrow(r rune) rune {
	const first, last, ascii = '！', '～', '!'
	if r < first || r > last {
		return r
	}
	return r - first + ascii
}

// parted splits a word at changes to and from a script without spaces, and text in such a script into overlapping pairs of characters: finding its
// words would take a dictionary.
func parted(word string) []string {
	if strings.IndexFunc(word, unspaced) < 0 {
		return []string{word}
	}
	var out []string
	letters := []rune(word)
	for from := 0; from < len(letters); {
		to := from + 1
		for to < len(letters) && unspaced(letters[to]) == unspaced(letters[from]) {
			to++
		}
		if !unspaced(letters[from]) || to-from == 1 {
			out = append(out, string(letters[from:to]))
		} else {
			for i := from; i+1 < to; i++ {
				out = append(out, string(letters[i:i+2]))
			}
		}
		from = to
	}
	return out
}

// unspaced reports whether a character belongs to a script without spaces between words.
func unspaced(r rune) bool {
	const first, longVowel = '\u0e01', 'ー' // the first letter of Thai, and a mark of both Japanese syllabaries
	return r >= first && (r == longVowel || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// declared returns the words of a card's own description. A sentence with more than one word of praise is dropped as advertising.
func declared(texts ...string) []string {
	var out []string
	left := maxText
	for _, text := range texts {
		text = text[:min(len(text), left)]
		left -= len(text)
		for sentence := range strings.FieldsFuncSeq(withoutAddresses(text), func(r rune) bool { return strings.ContainsRune(".!?;\n", r) }) {
			if len(out) >= maxSaid {
				return out
			}
			list, _ := words(sentence)
			praised := 0
			for _, w := range strings.FieldsFunc(strings.ToLower(sentence), func(r rune) bool { return !unicode.IsLetter(r) }) {
				if praise[w] {
					praised++
				}
			}
			if praised > 1 {
				continue
			}
			out = append(out, slices.DeleteFunc(list, func(w string) bool { return fillers[w] })...)
		}
	}
	return out
}

// plainest keeps the shortest word of each stem.
func plainest(list []string) []string {
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(strings.Compare(stem(a), stem(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return slices.CompactFunc(list, func(a, b string) bool { return stem(a) == stem(b) })
}

// stems removes the endings of words that matter least.
func stems(list []string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = stem(w)
	}
	return out
}

func stem(w string) string {
	for _, e := range []string{"ing", "ies", "ied", "ie", "ed"} {
		if cut, ok := strings.CutSuffix(w, e); ok && len(cut) >= 3 {
			if strings.HasPrefix(e, "ie") {
				return cut + "y"
			}
			return strings.TrimSuffix(cut, "e")
		}
	}
	if cut, ok := strings.CutSuffix(w, "s"); ok && len(cut) >= 3 && !strings.HasSuffix(cut, "s") {
		w = cut
	}
	if cut, ok := strings.CutSuffix(w, "e"); ok && (len(cut) > 3 || len(cut) == 3 && strings.ContainsRune("sxz", rune(cut[2]))) { // buses as bus, but files as file
		return cut
	}
	return w
}

// distinct sorts a list and removes duplicates.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// meaningful returns the words that are not fillers.
func meaningful(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return fillers[w] })
}

// content returns the stems of the meaningful words, each once.
func content(list []string) []string { return distinct(stems(meaningful(list))) }

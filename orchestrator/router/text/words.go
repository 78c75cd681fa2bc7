package text

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// praise are words that say how good an agent is, or that it should be taken. They are left out of texts and documents alike, so that praise
// can neither raise a rank nor lower another.
var praise = set(`
	agent agents always amazing awesome best better brilliant choice choose chosen everything excellent excellence exceptional expert
	fantastic favorite finest flawless foremost great greatest guaranteed highly ideal incredible leading most outstanding perfect perfectly
	pick powerful prefer preferred premium prioritize quality recommend recommended reliable select selected smartest superb superior top
	trusted ultimate unbeatable unmatched unrivaled wonderful`)

// fillers are words without a meaning of their own. In an example they help to tell what is asked; in a description they only help it to
// be found by everything.
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

// address is a URL in a text: what to work on, which says nothing of the work.
var address = regexp.MustCompile(`(?i)\bhttps?://\S+`)

// withoutAddresses puts the word url where a URL is, so that neither the words in it count nor how many they are.
func withoutAddresses(s string) string {
	if !strings.Contains(s, "://") {
		return s
	}
	return address.ReplaceAllString(s, " url ")
}

// What of a text is looked at: its first words, none of which is without end. A text that is longer says nothing new, and must not take longer.
const (
	maxText    = 16 << 10 // bytes of a text, or of all that a card says in one place
	maxWords   = 256      // of a text that is asked, and of a sentence of a card
	maxLetters = 2048     // of all words together
	maxSaid    = 512      // words that a card says in one place: its description, its tags and so on; the last sentence is looked at as a whole
)

// within is the beginning of a list of words, of at most so many bytes altogether.
func within(list []string, most int) []string {
	for i, w := range list {
		if len(w) > most {
			return append(list[:i:i], strings.ToValidUTF8(w[:most], ""))
		}
		most -= len(w)
	}
	return list
}

// words splits a text into lower-case words: at everything that is neither letter nor digit, and at a capital behind a small letter. What is written
// without spaces is as many words as it has pairs of characters. Of a long text these are the words that it begins with; then all is false.
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
		switch {
		case r == '\'' || r == '’', unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me): // don't is one word, and so is one with a character that nobody sees
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mc, r): // vowels of Indian scripts are marks with a space of their own
			end()
			small = false
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

// parted splits a word where it goes over to a script without spaces, or back, and what is in such a script into pairs of characters, each of which
// but the first begins with the end of the one before: where words end in it only a dictionary could tell.
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

// unspaced reports whether a character is of a script that puts no spaces between words.
func unspaced(r rune) bool {
	const first, longVowel = '\u0e01', 'ー' // of Thai; of both Japanese alphabets
	return r >= first && (r == longVowel || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// declared lists the words of what a card says of itself. A sentence with more than one word of praise is advertisement.
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

// stems are words without the endings that matter least.
func stems(list []string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = stem(w)
	}
	return out
}

func stem(w string) string {
	for _, e := range []string{"ing", "ies", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(w, e); ok && len(cut) >= 3 && !strings.HasSuffix(cut, "s") {
			if e == "ies" {
				return cut + "y"
			}
			return strings.TrimSuffix(cut, "e")
		}
	}
	if len(w) > 4 {
		return strings.TrimSuffix(w, "e")
	}
	return w
}

// distinct sorts and removes repetitions.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// content lists the stems of the words that mean something, each once.
func content(list []string) []string {
	return distinct(stems(slices.DeleteFunc(slices.Clone(list), func(w string) bool { return fillers[w] })))
}

package text

// Learned returns how many samples an index of the skills is made of.
func Learned(skills []Skill) int {
	docs := newCorpus(skills).docs
	samples, _, _ := prepare(docs, nil)
	return len(samples)
}

// Features returns how many features a text has.
func Features(text string) int {
	list, _ := words(text)
	whole, pieces := hashed(list)
	return len(whole) + len(pieces)
}

// Size returns how many words a skill is compared by, without those of its examples, and how many features its examples have.
func Size(s *Skill) (said, features int) {
	c := newCorpus([]Skill{*s})
	docs := c.docs
	for _, f := range docs[0].fields {
		said += len(f)
	}
	samples, _, _ := prepare(docs, nil)
	for _, p := range samples {
		features += len(p.whole) + len(p.pieces)
	}
	return said, features
}

// NewWithin builds an index with so many weights at most.
func NewWithin(skills []Skill, most int) *Index { return New(skills, Options{maxWeights: most}) }

// Weights returns how many weights an index has learned.
func Weights(x *Index) int { return len(x.linear.weights) }

// Kept returns how many examples of the skills an index is made of.
func Kept(skills []Skill) (n int) {
	docs := newCorpus(skills).docs
	for _, d := range docs {
		n += len(d.examples)
	}
	return n
}

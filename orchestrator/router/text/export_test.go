package text

// Learned returns how many samples an index of the skills is made of.
func Learned(skills []Skill) int {
	_, docs := prepareSkills(skills)
	samples, _ := prepare(docs, nil)
	return len(samples)
}

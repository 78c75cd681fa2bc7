package agentcard

import (
	"slices"
	"strings"
)

// FoldTag returns the lower-case form by which tags are looked up.
func FoldTag(tag string) string { return strings.ToLower(tag) }

// FoldedTags returns the skill's tags in the form of FoldTag, sorted and without duplicates.
func (s *Skill) FoldedTags() []string { return foldTags(nil, s.Tags) }

// FoldedTags returns the tags of all skills in the form of FoldTag, sorted and without duplicates.
func (c *Card) FoldedTags() []string {
	var tags []string
	for i := range c.Skills {
		tags = foldTags(tags, c.Skills[i].Tags)
	}
	return tags
}

func foldTags(folded, tags []string) []string {
	for _, tag := range tags {
		if tag != "" {
			folded = append(folded, FoldTag(tag))
		}
	}
	slices.Sort(folded)
	return slices.Compact(folded)
}

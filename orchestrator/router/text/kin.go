package text

import (
	"slices"
	"strings"
)

// none stands for no document.
const none = -1

// kin finds the documents that are versions of each other: they have the same name and id, and most of their examples in common. Agents that run several times
// have such when the card of one of them has changed, as all have while they are upgraded one after the other.
func kin(docs []document) (list [][]int32) {
	m := make(sayings)
	group := make(map[int32]int) // by the first version, its place in list
	for i := range docs {
		first := m.find(docs, int32(i), strings.Join(docs[i].fields[0], " "))
		if first == none {
			continue
		}
		at, known := group[first]
		if !known {
			at = len(list)
			group[first] = at
			list = append(list, []int32{first})
		}
		list[at] = append(list[at], int32(i))
	}
	return list
}

// again finds for each skill the first document of which its agent has said most before, under another id, or none: that makes the agent no likelier.
func again(c *corpus) []int32 {
	list := make([]int32, len(c.skills))
	var m sayings
	first := 0 // skill of the agent
	for s, d := range c.doc {
		if s == 0 || c.skills[s].Agent != c.skills[first].Agent {
			m, first = make(sayings), s
		}
		if list[s] = m.find(c.docs, d, ""); list[s] == none && slices.Contains(c.doc[first:s], d) {
			list[s] = d
		}
	}
	return list
}

// sayings finds documents by what they say: it holds the first ones that have each example or, without any, the description.
type sayings map[string][]int32

// find returns the first document that says mostly the same as another one, of those with the same key, or none. Then that is one of the first itself.
func (m sayings) find(docs []document, doc int32, key string) int32 {
	own, common := docs[doc].sayings(key), make(map[int32]int)
	for _, k := range own {
		for _, d := range m[k] {
			common[d]++
		}
	}
	first := int32(none)
	for d, n := range common {
		if 2*n > max(len(own), len(docs[d].examples)) && (first == none || d < first) {
			first = d
		}
	}
	if first != none {
		return first
	}
	for _, k := range own {
		if len(m[k]) < maxSharers {
			m[k] = append(m[k], doc)
		}
	}
	return none
}

func (d *document) sayings(key string) (list []string) {
	for _, x := range d.examples {
		list = append(list, key+"\n"+strings.Join(x.words, " "))
	}
	if description := d.fields[1]; len(list) == 0 && len(description) > 0 {
		list = append(list, key+"\n\n"+strings.Join(description, " "))
	}
	return list
}

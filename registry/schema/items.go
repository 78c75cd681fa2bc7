package schema

// items is what a schema says about the items of a list, however its draft writes that.
type items struct {
	first             []any  // schemas of the first ones
	rest              any    // schema of all others; nil if nothing is said
	firstKey, restKey string // the keywords for these
}

// items returns what a part of the document says about items. Before 2020-12, the first ones were in items and the others in additionalItems.
func (d *document) items(part map[string]any) items {
	if first, ok := part["items"].([]any); ok {
		return items{first, part["additionalItems"], "items", "additionalItems"}
	}
	if d.draft < latestDraft {
		return items{nil, part["items"], "", "items"}
	}
	return items{list(part["prefixItems"]), part["items"], "prefixItems", "items"}
}

// at returns the schema of the item at a place, if anything is said about it.
func (s items) at(place int) (schema any, ok bool) {
	if place < len(s.first) {
		return s.first[place], true
	}
	return s.rest, s.rest != nil
}

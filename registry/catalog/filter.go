package catalog

import (
	"slices"
	"strings"
)

const maxValues = 100 // for one field of a filter

// fields are the paths in an entry by which one can filter and count.
var fields = map[string]func(e *entry) []string{
	"identifier":            func(e *entry) []string { return []string{e.Identifier} },
	"displayName":           func(e *entry) []string { return []string{e.DisplayName} },
	"type":                  func(e *entry) []string { return []string{e.Type} },
	"tags":                  func(e *entry) []string { return e.Tags },
	"capabilities":          func(e *entry) []string { return e.Capabilities },
	"version":               func(e *entry) []string { return []string{e.Version} },
	"publisher":             func(e *entry) []string { return []string{e.publisher()} },
	"metadata.status":       func(e *entry) []string { return []string{e.Metadata["status"]} },
	"metadata.verification": func(e *entry) []string { return []string{e.Metadata["verification"]} },
}

func (e *entry) publisher() string {
	publisher, _, _ := strings.Cut(strings.TrimPrefix(e.Identifier, "urn:air:"), ":")
	return publisher
}

func checkField(path string) error {
	if fields[path] != nil {
		return nil
	}
	known := make([]string, 0, len(fields))
	for name := range fields {
		known = append(known, name)
	}
	slices.Sort(known)
	return malformed("the field %q is not supported; these are: %s", path, strings.Join(known, ", "))
}

// check refuses a filter on an unsupported field rather than ignoring it.
func (q *query) check() error {
	for path, values := range q.Filter {
		if err := checkField(path); err != nil {
			return err
		}
		if len(values) == 0 || len(values) > maxValues {
			return malformed("the filter on %q has %d values; 1 to %d are allowed", path, len(values), maxValues)
		}
	}
	return nil
}

// match reports whether an entry passes the filter: for each field, one of its values must match.
func (q *query) match(e *entry) bool {
	for path, values := range q.Filter {
		if !slices.ContainsFunc(fields[path](e), func(have string) bool { return slices.Contains(values, have) }) {
			return false
		}
	}
	return true
}

package ddb

import (
	"reflect"
	"strings"
)

// Known returns the names of the attributes in which the fields of T, a struct, are stored, together with others. The tag with the key tag names the attribute of a
// field; without it, that is the field's name.
func Known[T any](tag string, others ...string) map[string]bool {
	known := map[string]bool{attrLastReq: true, attrPastReq: true}
	for _, name := range others {
		known[name] = true
	}
	addFields(known, reflect.TypeFor[T](), tag)
	return known
}

func addFields(known map[string]bool, t reflect.Type, tag string) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get(tag), ",")
		switch {
		case field.Anonymous && name == "":
			addFields(known, field.Type, tag)
		case name == "":
			known[field.Name] = true
		default:
			known[name] = true
		}
	}
}

// Unknown returns the attributes of an item that are not known, or nil if there are none. Replicas are upgraded one after the other, and what a newer one has written
// must not be lost when an older one rewrites the item.
func Unknown(item Item, known map[string]bool) Item {
	var rest Item
	for name, value := range item {
		if known[name] {
			continue
		}
		if rest == nil {
			rest = make(Item)
		}
		rest[name] = value
	}
	return rest
}

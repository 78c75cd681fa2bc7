package ddb

import (
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/newer"
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

// KeepUnchanged puts into next, in place of each value that a write does not change, the value that old has. again is old as this version reads it
// and writes it again, so what it lacks is what a newer version has put into maps and lists. A value that is changed loses that; the other values of
// the same map keep theirs, and so do the elements of a list before the first change and behind the last one.
func KeepUnchanged(next, again, old Item) {
	for name, value := range next {
		next[name] = unchanged(value, again[name], old[name])
	}
}

func unchanged(next, again, old types.AttributeValue) types.AttributeValue {
	if old == nil || again == nil {
		return next
	}
	if reflect.DeepEqual(next, again) {
		return old
	}
	switch next := next.(type) {
	case *types.AttributeValueMemberM:
		was, isMap := again.(*types.AttributeValueMemberM)
		stored, too := old.(*types.AttributeValueMemberM)
		if isMap && too {
			KeepUnchanged(next.Value, was.Value, stored.Value)
		}
	case *types.AttributeValueMemberL:
		was, isList := again.(*types.AttributeValueMemberL)
		stored, too := old.(*types.AttributeValueMemberL)
		if isList && too {
			newer.List(next.Value, was.Value, stored.Value, func(a, b types.AttributeValue) bool { return reflect.DeepEqual(a, b) })
		}
	}
	return next
}

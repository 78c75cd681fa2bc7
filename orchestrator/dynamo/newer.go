package dynamo

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/newer"
)

// known are the attributes of a task's item that this version knows, and inner the names within them.
var (
	known = ddb.Known[struct{}]("", append(slices.Collect(maps.Keys(fields)),
		attrTask, attrState, attrContent, attrLog, attrGoes, attrOpen, attrListing, attrPosition, attrTTL)...)
	inner = innerNames()
)

// keepNewer puts into item, which replaces old, what a newer version has put into old.
func keepNewer(item, old ddb.Item) error {
	maps.Copy(item, ddb.Unknown(old, known))
	for attribute := range fields {
		if !isNewer(old[attribute]) {
			continue
		}
		was, err := decode(old)
		if err != nil {
			return err
		}
		again, err := fieldsOf(&was.task)
		if err == nil {
			ddb.KeepUnchanged(item, again, old)
		}
		return err
	}
	return nil
}

// jsonContent is content in JSON. What encoded has and value lacks is from a newer version.
type jsonContent struct {
	value   any
	encoded []byte
}

// content returns the content of a piece for the cache.
func (p piece) content(encoded []byte) any {
	if p.message != nil {
		return p.message
	}
	return jsonContent{p.value, encoded}
}

// encodeOver encodes p, which replaces was, with what a newer version has put into stored, from which was was read; nil is nothing.
func (p piece) encodeOver(was piece, stored []byte) ([]byte, error) {
	next, err := p.encode()
	if err != nil || stored == nil {
		return next, err
	}
	again, err := was.encode()
	if err != nil {
		return nil, err
	}
	kept := newer.Record(next, again, stored)
	return kept, boltdb.CheckSize(p.what, len(kept), p.limit)
}

// isNewer reports whether a value has a name that this version does not know. That is rare, and so the others need not be decoded once more.
func isNewer(av types.AttributeValue) bool {
	switch v := av.(type) {
	case *types.AttributeValueMemberM:
		for name, e := range v.Value {
			if !inner[name] || isNewer(e) {
				return true
			}
		}
	case *types.AttributeValueMemberL:
		return slices.ContainsFunc(v.Value, isNewer)
	}
	return false
}

func innerNames() map[string]bool {
	names, seen := make(map[string]bool), make(map[reflect.Type]bool)
	for field := range reflect.TypeFor[orchestrator.Task]().Fields() {
		if _, stored := fields[snake(field.Name)]; stored {
			addNames(names, seen, field.Type)
		}
	}
	return names
}

// addNames adds the names of the fields of the structs of which a value of the type consists.
func addNames(names map[string]bool, seen map[reflect.Type]bool, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		addNames(names, seen, t.Elem())
	case reflect.Struct:
		if seen[t] || t == reflect.TypeFor[time.Time]() {
			return
		}
		seen[t] = true
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			names[cmp.Or(name, field.Name)] = true
			addNames(names, seen, field.Type)
		}
	default: // has no names
	}
}

// Package newer keeps what a newer version has stored when an older one rewrites it: while replicas are upgraded one after the other, or after an
// upgrade was taken back.
//
// Its functions compare three encodings: next is what is to be stored in place of old, and again is old as this version reads it and writes it
// again. So what again lacks is what this version does not know. What a write does not change stays as old has it; what is changed loses what this
// version does not know of it, since that may no longer fit.
package newer

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Record returns the JSON of a record: next with what Value keeps of old and, if it is an object, with the fields of old that this version does not
// know, since it is never another one. Its fields named in parts are records, too. If this version knows all of old, that is next as it is.
func Record(next, again, old []byte, parts ...string) []byte {
	if bytes.Equal(again, old) {
		return next
	}
	var n, a, o map[string]json.RawMessage
	if !parse(next, &n) || !parse(again, &a) || !parse(old, &o) || n == nil {
		return Value(next, again, old)
	}
	for name, value := range o {
		switch {
		case n[name] == nil && a[name] == nil:
			n[name] = value
		case n[name] == nil: // the write has removed it
		case slices.Contains(parts, name):
			n[name] = Record(n[name], a[name], value)
		default:
			n[name] = Value(n[name], a[name], value)
		}
	}
	return encode(n)
}

// Value returns the JSON of a value: next with those parts of old that are the same in next and again. Elements of a list count as the same from its
// beginning to the first change, and from behind the last change to its end.
func Value(next, again, old []byte) []byte {
	if bytes.Equal(next, again) {
		return old
	}
	var n, a, o map[string]json.RawMessage
	if parse(next, &n) && parse(again, &a) && parse(old, &o) {
		for name, value := range n {
			if a[name] != nil && o[name] != nil {
				n[name] = Value(value, a[name], o[name])
			}
		}
		return encode(n)
	}
	var list, before, stored []json.RawMessage
	if parse(next, &list) && parse(again, &before) && parse(old, &stored) {
		List(list, before, stored, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
		return encode(list)
	}
	return next
}

// List puts into next, which it changes, the elements of old that are the same in next and again, from the beginning to the first change and from behind
// the last one. If again and old have different lengths, next stays as it is.
func List[E any](next, again, old []E, same func(a, b E) bool) {
	if len(again) != len(old) {
		return
	}
	for len(next) > 0 && len(again) > 0 && same(next[0], again[0]) {
		next[0] = old[0]
		next, again, old = next[1:], again[1:], old[1:]
	}
	for n, m := len(next)-1, len(again)-1; n >= 0 && m >= 0 && same(next[n], again[m]); n, m = n-1, m-1 {
		next[n] = old[m]
	}
}

func parse(encoded []byte, v any) bool { return json.Unmarshal(encoded, v) == nil }

// encode does not escape HTML characters, which would make what is kept longer than it was.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // what was parsed can be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

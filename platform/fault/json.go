package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// InWordsOfJSON returns an error of encoding/json without the names of Go types, which mean nothing to the author of a document.
func InWordsOfJSON(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		if text, cut := strings.CutPrefix(err.Error(), "json: "); cut { // an unknown field
			return errors.New(text)
		}
		return err
	}
	what := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Bool: "true or false", reflect.Slice: "a list", reflect.Array: "a list",
		reflect.Map: "an object", reflect.Struct: "an object",
	}[wrong.Type.Kind()]
	if what == "" {
		what = "a number that fits"
	}
	if wrong.Field == "" {
		return fmt.Errorf("%s where %s is expected", wrong.Value, what)
	}
	return fmt.Errorf("%q is of type %s, where %s is expected", wrong.Field, wrong.Value, what)
}

// PlaceInJSON returns where text stops being one value of JSON, such as "line 3:14", the line and the character in it, both from 1. It returns nothing if text is
// valid or empty.
func PlaceInJSON(text []byte) string {
	wrong, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(text, new(json.RawMessage)))
	if !ok || wrong.Offset == 0 {
		return ""
	}
	before := text[:wrong.Offset-1]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d:%d", bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1)
}

package fault

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
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

package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// supported reports whether parse can fill a field of type t.
func supported(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float64, reflect.Int, reflect.Int64:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.String
	default:
		return false
	}
}

// parse fills v, of a supported type, from text.
func parse(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Slice:
		setList(v, splitList(text))
	default:
		return parseScalar(v, text)
	}
	return nil
}

func parseScalar(v reflect.Value, text string) error {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 1m30s", text)
		}
		v.SetInt(int64(d))
		return nil
	}
	var err error
	var is string
	switch {
	case v.Kind() == reflect.Bool:
		is = "neither true nor false"
		var b bool
		if b, err = strconv.ParseBool(text); err == nil {
			v.SetBool(b)
		}
	case v.CanInt():
		is = "not a whole number, or one that is too large"
		var n int64
		if n, err = strconv.ParseInt(text, 10, v.Type().Bits()); err == nil {
			v.SetInt(n)
		}
	default:
		is = "not a number"
		var n float64
		if n, err = strconv.ParseFloat(text, 64); err == nil {
			v.SetFloat(n)
		}
	}
	if err != nil {
		return fmt.Errorf("%q is %s", text, is)
	}
	return nil
}

func splitList(text string) []string {
	var items []string
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func setList(v reflect.Value, items []string) {
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		list.Index(i).SetString(item)
	}
	v.Set(list)
}

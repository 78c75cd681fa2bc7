package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// supported reports whether parse can fill a field of type t.
func supported(t reflect.Type) bool {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return true
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	case reflect.Slice:
		return t.Elem().Kind() == reflect.String
	case reflect.Map:
		return t.Key().Kind() == reflect.String && t.Elem().Kind() == reflect.String
	default:
		return false
	}
}

// parse fills v, of a supported type, from text.
func parse(v reflect.Value, text string) error {
	if u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr()); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Slice:
		setList(v, splitList(text))
	case reflect.Map:
		pairs := make(map[string]string)
		for _, item := range splitList(text) {
			key, value, ok := strings.Cut(item, "=")
			if !ok {
				return fmt.Errorf("%q is not key=value", item)
			}
			pairs[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
		setMap(v, pairs)
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
	switch {
	case v.Kind() == reflect.Bool:
		var b bool
		if b, err = strconv.ParseBool(text); err == nil {
			v.SetBool(b)
		}
	case v.CanInt():
		var n int64
		if n, err = strconv.ParseInt(text, 10, v.Type().Bits()); err == nil {
			v.SetInt(n)
		}
	case v.CanUint():
		var n uint64
		if n, err = strconv.ParseUint(text, 10, v.Type().Bits()); err == nil {
			v.SetUint(n)
		}
	default:
		var n float64
		if n, err = strconv.ParseFloat(text, 64); err == nil {
			v.SetFloat(n)
		}
	}
	if err != nil {
		return fmt.Errorf("%q is not a valid %s", text, v.Kind())
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

func setMap(v reflect.Value, pairs map[string]string) {
	m := reflect.MakeMapWithSize(v.Type(), len(pairs))
	for key, value := range pairs {
		m.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), reflect.ValueOf(value).Convert(v.Type().Elem()))
	}
	v.Set(m)
}

package config

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

const envPrefix = "QUORATE_"

// field is one setting: a leaf of the struct.
type field struct {
	path   string
	env    string
	flag   string
	doc    string
	value  reflect.Value
	source string
}

// schema returns the fields of dst in the order of the struct. An error is a bug in the struct.
func schema(dst any) ([]*field, error) {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("loading configuration into %T: want a pointer to a struct", dst)
	}
	fields, err := collect(v.Elem(), "")
	if err != nil {
		return nil, err
	}
	seen, alike := make(map[string]string, len(fields)), make(map[string]int)
	for _, f := range fields {
		alike[end(f.path)]++
	}
	for _, f := range fields {
		f.flag = flagName(f.path)
		if alike[end(f.path)] == 1 {
			f.flag = flagName(end(f.path))
		}
		if other, taken := seen[f.env]; taken {
			return nil, fmt.Errorf("settings %s and %s share the variable %s", other, f.path, f.env)
		}
		seen[f.env] = f.path
	}
	return fields, nil
}

func collect(v reflect.Value, path string) ([]*field, error) {
	var fields []*field
	for i := range v.NumField() {
		name, skip := fieldName(v.Type().Field(i))
		if skip {
			continue
		}
		child := join(path, name)
		switch {
		case name == "":
			return nil, fmt.Errorf("field %s.%s has no yaml name", v.Type(), v.Type().Field(i).Name)
		case v.Field(i).Kind() == reflect.Struct:
			nested, err := collect(v.Field(i), child)
			if err != nil {
				return nil, err
			}
			fields = append(fields, nested...)
		case !supported(v.Field(i).Type()):
			return nil, fmt.Errorf("setting %s has the unsupported type %s", child, v.Field(i).Type())
		default:
			fields = append(fields, &field{path: child, env: envName(child), doc: v.Type().Field(i).Tag.Get("doc"), value: v.Field(i), source: "default"})
		}
	}
	return fields, nil
}

func fieldName(f reflect.StructField) (name string, skip bool) {
	name, _, _ = strings.Cut(f.Tag.Get("yaml"), ",")
	return name, !f.IsExported() || name == "-"
}

// envName splits camelCase: http.readTimeout becomes QUORATE_HTTP_READ_TIMEOUT.
func envName(path string) string {
	var b strings.Builder
	b.WriteString(envPrefix)
	runes := []rune(path)
	for i, r := range runes {
		switch {
		case r == '.' || r == '-':
			b.WriteByte('_')
			continue
		case i > 0 && unicode.IsUpper(r) && startsWord(runes, i):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// startsWord reports whether a word begins at i. An abbreviation is one word, also in the plural: baseURL is BASE_URL, and cardURLs is CARD_URLS.
func startsWord(runes []rune, i int) bool {
	before, behind := runes[i-1], runes[i+1:]
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	plural := len(behind) > 0 && behind[0] == 's' && (len(behind) == 1 || !unicode.IsLower(behind[1]))
	return unicode.IsUpper(before) && len(behind) > 0 && unicode.IsLower(behind[0]) && !plural
}

package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Setting describes a flag for one field of a configuration. The flag's name is the last part of the path: log-level for telemetry.logLevel. If several paths
// end in the same part, it is the whole path: http-addr for http.addr.
type Setting struct{ Path, Flag, Value, Doc string }

// Settings returns the fields of a configuration, given as a pointer to a struct, in their order. An error is a bug in the struct.
func Settings(of any) ([]Setting, error) {
	fields, err := schema(of)
	if err != nil {
		return nil, err
	}
	list := make([]Setting, len(fields))
	for i, f := range fields {
		list[i] = Setting{f.path, f.flag, written(f.value), strings.TrimSpace(f.doc + separated(f.value, " Separated by commas."))}
	}
	return list, nil
}

// written returns a value as parse reads it.
func written(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = v.Index(i).String()
	}
	return strings.Join(items, ",")
}

// separated returns note if a value is a list, which one text holds.
func separated(v reflect.Value, note string) string {
	if v.Kind() != reflect.Slice {
		return ""
	}
	return note
}

func end(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func flagName(path string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(envName(path), envPrefix)), "_", "-")
}

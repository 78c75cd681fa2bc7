package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/quorate/quorate/platform/bounded"
)

func (l *loader) readFile(dst any, path string) {
	if path == "" {
		return
	}
	data, err := bounded.File(path, maxFile)
	if err != nil {
		l.problem("config file: %w", err)
		return
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, more yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return // an empty file sets nothing
	case err != nil:
		l.problem("%s: %w%s", path, err, hint(data, err.Error()))
		return
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		l.problem("%s: more than one document", path)
		return
	}
	r := fileReader{loader: l, file: path, fields: make(map[string]*field, len(l.fields))}
	for _, f := range l.fields {
		r.fields[f.path] = f
	}
	r.section(document.Content[0], reflect.TypeOf(dst).Elem(), "")
}

// hint says what to do about an error of the YAML decoder, where it is known what people mean.
func hint(data []byte, trouble string) string {
	switch {
	case bytes.Contains(data, []byte("\n\t")) && strings.HasSuffix(trouble, "cannot start any token"):
		return "; indent with spaces, since YAML takes no tabs"
	case strings.HasSuffix(trouble, "alphabetic or numeric character") || strings.Contains(trouble, "unknown anchor"): // as in passThrough: [*]
		return `; quote a text that begins with * or &, such as "*"`
	}
	return ""
}

// fileReader walks the file along the schema, so that each problem has its line number.
type fileReader struct {
	*loader
	file   string
	fields map[string]*field
}

func (r *fileReader) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", r.file, n.Line) }

func (r *fileReader) section(n *yaml.Node, t reflect.Type, path string) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.problem("%s: %s: want settings below it", r.at(n), orTop(path))
		return
	}
	keys := make(map[string]reflect.Type)
	var names []string
	for f := range t.Fields() {
		if name, skip := fieldName(f); !skip {
			keys[name] = f.Type
			names = append(names, name)
		}
	}
	r.pairs(n, path, func(key, value *yaml.Node) {
		child := join(path, key.Value)
		fieldType, known := keys[key.Value]
		switch {
		case !known:
			r.problem("%s: unknown key %s%s", r.at(key), child, didYouMean(key.Value, names))
		case fieldType.Kind() == reflect.Struct:
			r.section(value, fieldType, child)
		default:
			r.leaf(value, r.fields[child])
		}
	})
}

func (r *fileReader) leaf(n *yaml.Node, f *field) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	source := r.at(n)
	switch list := f.value.Kind() == reflect.Slice; {
	case list && n.Kind == yaml.SequenceNode:
		items := make([]string, len(n.Content))
		for i, item := range n.Content {
			items[i] = r.scalar(item, f.path)
		}
		setList(f.value, items)
		f.source = source
	case list:
		r.problem("%s: %s: want a list", source, f.path)
	case n.Kind != yaml.ScalarNode:
		r.problem("%s: %s: want one value", source, f.path)
	default:
		r.set(f, n.Value, source)
	}
}

func (r *fileReader) scalar(n *yaml.Node, path string) string {
	n = resolve(n)
	if n.Kind != yaml.ScalarNode || isNull(n) {
		r.problem("%s: %s: want text", r.at(n), path)
	}
	return n.Value
}

// pairs visits the keys and values of a map. It refuses duplicate keys, which the YAML decoder accepts when it decodes into nodes.
func (r *fileReader) pairs(n *yaml.Node, path string, visit func(key, value *yaml.Node)) {
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := resolve(n.Content[i])
		if first, twice := seen[key.Value]; twice {
			r.problem("%s: %s is given twice, first in line %d", r.at(key), join(path, key.Value), first)
			continue
		}
		seen[key.Value] = key.Line
		visit(key, n.Content[i+1])
	}
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func orTop(path string) string {
	if path == "" {
		return "the file"
	}
	return path
}

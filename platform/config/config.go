package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Options say where Load reads.
type Options struct {
	File     string            // path of a YAML file of at most 1 MiB; empty for none
	Environ  []string          // KEY=value, as os.Environ returns; nil reads that
	Flags    map[string]string // path of a field to its text, for the flags that were given
	KnownEnv []string          // QUORATE_ variables that others read, so that they give no warning
}

// Load fills dst, a pointer to a struct, and then calls Validate() error on it and on each nested struct that has it.
// The error, for wrong content an InvalidArgument fault with the reason CONFIG_INVALID, lists every problem it found. When each value could
// be read and only Validate objects, the sources are returned with the error.
func Load(dst any, opts Options) (*Sources, error) {
	fields, err := schema(dst)
	if err != nil {
		return nil, err
	}
	l := &loader{fields: fields}
	l.readFile(dst, opts.File)
	l.readEnviron(opts)
	l.readFlags(opts.Flags)
	var sources *Sources
	if len(l.problems) == 0 {
		sources = newSources(l)
		l.validate(reflect.ValueOf(dst), "")
	}
	if len(l.problems) > 0 {
		return sources, fault.New(fault.InvalidArgument, "CONFIG_INVALID", "%w", errors.Join(l.problems...))
	}
	return sources, nil
}

// Env returns the process's environment variable name, or the empty string.
func Env(name string) string {
	value, _ := os.LookupEnv(name)
	return value
}

// loader is one Load under way.
type loader struct {
	fields   []*field
	problems []error
	warnings []string
}

func (l *loader) problem(format string, args ...any) {
	l.problems = append(l.problems, fmt.Errorf(format, args...))
}

func (l *loader) readFlags(flags map[string]string) {
	known := make(map[string]bool, len(l.fields))
	for _, f := range l.fields {
		known[f.path] = true
		if text, ok := flags[f.path]; ok {
			l.set(f, text, "flag")
		}
	}
	for path := range flags {
		if !known[path] {
			l.problem("flag for %s: no such setting", path)
		}
	}
}

func (l *loader) set(f *field, text, source string) {
	if err := parse(f.value, text); err != nil {
		if f.secret() {
			err = errors.New("not a valid value") // the text must not be shown
		}
		l.problem("%s: %s: %w", source, f.path, err)
		return
	}
	f.source = source
}

// validate calls Validate bottom up, so that a part is right before the whole looks at it.
func (l *loader) validate(v reflect.Value, path string) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	for i := range v.NumField() {
		name, skip := fieldName(v.Type().Field(i))
		if !skip && isSection(v.Field(i).Type()) {
			l.validate(v.Field(i), join(path, name))
		}
	}
	checked, ok := reflect.TypeAssert[interface{ Validate() error }](v.Addr())
	if !ok {
		return
	}
	if err := checked.Validate(); err != nil {
		l.problems = append(l.problems, fmt.Errorf("%s%w", l.where(path, err), err))
	}
}

// where says which setting a section's Validate objects to, as far as its error tells, and what set it.
func (l *loader) where(path string, err error) string {
	if e, ok := errors.AsType[*fault.Error](err); ok && len(e.Violations) == 1 {
		path = join(path, e.Violations[0].Field)
	}
	if path == "" {
		return ""
	}
	for _, f := range l.fields {
		if f.path == path && f.source != "default" {
			return f.source + ": " + path + ": "
		}
	}
	return path + ": "
}

func join(path, name string) string {
	return strings.TrimPrefix(path+"."+name, ".")
}

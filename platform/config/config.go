package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Options are the sources from which Load reads.
type Options struct {
	File     string            // path of a YAML file of at most 1 MiB; empty for none
	Environ  []string          // KEY=value, as os.Environ returns; nil uses os.Environ
	Flags    map[string]string // from the path of a field to its text, for the flags that were given
	KnownEnv []string          // QUORATE_ variables with other uses, for which there is no warning; nor is there one for those of tests, QUORATE_TEST_
}

// Load fills dst, a pointer to a struct, and then calls the method Validate() error of dst and of each nested struct that has it.
// Wrong content is an InvalidArgument fault with the reason CONFIG_INVALID that lists all problems. If every value could be read and
// only Validate failed, the sources are returned together with the error.
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

// Env returns the process's environment variable name, or "" if it is not set.
func Env(name string) string {
	value, _ := os.LookupEnv(name)
	return value
}

// loader is the state of one Load.
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
			l.set(f, text, "flag --"+f.flag)
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
		l.problem("%s: %s: %w", source, f.path, err)
		return
	}
	f.source = source
}

// validate calls Validate bottom up, so that a section is checked before the one that contains it.
func (l *loader) validate(v reflect.Value, path string) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	for i := range v.NumField() {
		name, skip := fieldName(v.Type().Field(i))
		if !skip && v.Field(i).Kind() == reflect.Struct {
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

// where returns a prefix for the error of a section's Validate: the setting, as far as the error tells, and where its value came from.
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

package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

const (
	maxFile       = 1 << 20
	envTestPrefix = envPrefix + "TEST_" // of variables that tell tests where programs are
)

func (l *loader) readEnviron(opts Options) {
	environ := opts.Environ
	if environ == nil {
		environ = os.Environ()
	}
	given := make(map[string]string)
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, envPrefix) {
			given[name] = value
		}
	}
	var known []string
	for _, f := range l.fields {
		known = append(known, f.env)
		if text := given[f.env]; text != "" {
			l.set(f, text, "env "+f.env)
		}
	}
	l.warnUnknown(given, known, opts.KnownEnv)
}

// warnUnknown warns of unknown variables. They are not errors, because they may be meant for another version or another program.
func (l *loader) warnUnknown(given map[string]string, known, others []string) {
	var unknown []string
	for name := range given {
		if !slices.Contains(known, name) && !slices.Contains(others, name) && !strings.HasPrefix(name, envTestPrefix) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		l.warnings = append(l.warnings, fmt.Sprintf("environment variable %s is not a setting%s", name, didYouMean(name, append(known, others...))))
	}
}

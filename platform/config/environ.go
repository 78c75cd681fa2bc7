package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/quorate/quorate/platform/bounded"
)

const (
	maxFile   = 1 << 20
	maxSecret = 64 << 10

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
		if f.secret() {
			known = append(known, f.env+"_FILE")
			l.readSecret(f, f.env+"_FILE", given)
		}
	}
	l.warnUnknown(given, known, opts.KnownEnv)
}

func (l *loader) readSecret(f *field, name string, given map[string]string) {
	path := given[name]
	if path == "" {
		return
	}
	if given[f.env] != "" {
		l.problem("%s and %s are both set; set one", f.env, name)
		return
	}
	text, err := bounded.File(path, maxSecret)
	if err != nil {
		l.problem("env %s: %w", name, err)
		return
	}
	f.value.SetString(strings.TrimRight(string(text), "\r\n"))
	f.source = "env " + name
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

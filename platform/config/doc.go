// Package config fills a configuration struct from flags, the environment, one YAML file and defaults, in that order of
// precedence, and reports where each value came from.
//
// The struct is the schema. Every exported field has a `yaml:"name"` tag, and a `doc:"…"` tag that describes it; nested structs make
// dotted paths. The value of a field before Load is its default. An environment variable is named after the path: http.allowedHosts
// is QUORATE_HTTP_ALLOWED_HOSTS. An empty variable and a YAML null count as not set. Lists are replaced, never merged; in flags and
// variables they are written a,b. A value is shown wherever it is wrong or explained: secrets do not belong here, but in files that
// settings name.
//
// The loader is strict: an unknown key in the file is an error. It is the only code that reads the process environment.
package config

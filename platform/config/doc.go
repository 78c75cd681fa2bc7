// Package config fills a configuration struct from flags, the environment, one YAML file and defaults, in that order of
// precedence, and reports where each value came from.
//
// The struct is the schema. Every exported field has a `yaml:"name"` tag, and a `doc:"…"` tag that describes it; nested structs make
// dotted paths. The value of a field before Load is its default. An environment variable is named after the path: http.readTimeout
// is QUORATE_HTTP_READ_TIMEOUT. A field of type auth.Secret can also be read from a file, which a variable with the suffix _FILE
// names. An empty variable and a YAML null count as not set. Lists and maps are replaced, never merged; in flags and variables they
// are written a,b and k=v,k=v.
//
// The loader is strict: an unknown key in the file is an error. It is the only code that reads the process environment.
package config

// Package config fills a configuration struct from flags, the environment, one YAML file and defaults, in that order of
// precedence, and can say where each value came from.
//
// The struct is the schema. Every exported field has a `yaml:"name"` tag and a `doc:"…"` tag for people; nested structs make
// dotted paths. The value a field holds before Load is its default. A variable is named after the path: http.readTimeout
// is QUORATE_HTTP_READ_TIMEOUT. A field of type auth.Secret is also read from the file that a variable with the suffix
// _FILE names. An empty variable and a YAML null say nothing. Lists and maps are replaced, never merged; in flags and variables
// they are written a,b and k=v,k=v.
//
// The loader is strict: an unknown key in the file is an error. It is the only code that reads the process environment.
package config

package webfetch

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

// fields read the fields of a request from JSON.
var fields = map[string]func(*Request, json.RawMessage) error{
	"url":            func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.URL) },
	"format":         func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Format) },
	"timeout":        readTimeout,
	"max_size":       func(r *Request, v json.RawMessage) error { return integer(v, &r.MaxSize) },
	"max_characters": func(r *Request, v json.RawMessage) error { return integer(v, &r.MaxCharacters) },
	"start_index":    func(r *Request, v json.RawMessage) error { return integer(v, &r.StartIndex) },
	"content_sha256": func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.ContentSHA256) },
	"selector":       func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Selector) },
	"xpath":          func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.XPath) },
	"json_path":      func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.JSONPath) },
	"headers":        func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Headers) },
	"render":         func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Render) },
	"engine":         func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Engine) },
	"no_cache":       func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.NoCache) },
	"session":        func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Session) },
	"credential":     func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Credential) },
	"profile":        func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Profile) },
	"locale":         func(r *Request, v json.RawMessage) error { return json.Unmarshal(v, &r.Language) },
	"follow_redirects": func(r *Request, v json.RawMessage) error {
		follow := true
		err := json.Unmarshal(v, &follow)
		r.NoRedirects = !follow
		return err
	},
}

// aliases are other names of fields, as squeeze writes them.
var aliases = map[string]string{
	"mode": "format", "timeoutseconds": "timeout", "maxcontentlength": "max_characters", "maxchars": "max_characters", "maxlength": "max_characters",
	"maxbytes": "max_size", "css": "selector", "cssselector": "selector", "auth": "credential", "language": "locale", "acceptlanguage": "locale",
}

// fieldNames returns the JSON names of a request's fields, without aliases, sorted.
func fieldNames() []string { return slices.Sorted(maps.Keys(fields)) }

// squeeze removes what does not count in a name, besides case: max_characters is maxCharacters too.
var squeeze = strings.NewReplacer("_", "", "-", "")

// names lead from each squeezed name to that of its field.
var names = func() map[string]string {
	all := maps.Clone(aliases)
	for name := range fields {
		all[squeeze.Replace(name)] = name
	}
	return all
}()

// ParseRequest reads a request from JSON, with the field names of any of the earlier fetch tools. A null counts as an absent field. A field that is
// unknown, or that occurs under two names, is a REQUEST_INVALID fault.
func ParseRequest(data []byte) (Request, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return Request{}, fault.Invalid("request", ReasonRequestInvalid, "the request is not a JSON object with a url")
	}
	var req Request
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		key, known := names[squeeze.Replace(strings.ToLower(name))]
		if !known {
			return Request{}, fault.Invalid(prefix(name, 40), ReasonRequestInvalid, "there is no field %q; the fields are %s", prefix(name, 40), strings.Join(fieldNames(), ", "))
		}
		if string(raw[name]) == "null" {
			continue
		}
		if other, ok := seen[key]; ok {
			return Request{}, fault.Invalid(name, ReasonRequestInvalid, "%s and %s are the same field; give one of them", other, name)
		}
		seen[key] = name
		if err := fields[key](&req, raw[name]); err != nil {
			return Request{}, fault.Invalid(name, ReasonRequestInvalid, "the field %s has a value of another type than it should", name)
		}
	}
	return req, nil
}

// readTimeout reads a number of seconds, or a duration such as "1m30s".
func readTimeout(r *Request, v json.RawMessage) error {
	var seconds float64
	if json.Unmarshal(v, &seconds) == nil {
		if math.Abs(seconds) > math.MaxInt32 {
			seconds = math.Copysign(math.MaxInt32, seconds)
		}
		r.Timeout = time.Duration(seconds * float64(time.Second))
		return nil
	}
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("read the timeout: %w", err)
	}
	r.Timeout = d
	return nil
}

// integer reads a whole number, which some clients write as 1.0.
func integer[T int | int64](v json.RawMessage, to *T) error {
	var n float64
	if err := json.Unmarshal(v, &n); err != nil {
		return err
	}
	if n != math.Trunc(n) || math.Abs(n) > 1<<52 {
		return fmt.Errorf("%v is no whole number", n)
	}
	*to = T(n)
	return nil
}

package webfetch

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/bounded"
	"github.com/quorate/quorate/platform/fault"
)

// field is how a field of a request is read from JSON.
type field struct {
	wanted string // its type, for people
	of     func(*Request) any
}

// Types of fields.
const (
	aText   = "a text"
	aNumber = "a whole number"
	aTime   = `a number of seconds, or a text such as "1m30s"`
	aSwitch = "true or false"
	texts   = "an object of texts"
)

var fields = map[string]field{
	"url":              {aText, func(r *Request) any { return &r.URL }},
	"format":           {aText, func(r *Request) any { return &r.Format }},
	"timeout":          {aTime, func(r *Request) any { return (*seconds)(&r.Timeout) }},
	"max_size":         {aNumber, func(r *Request) any { return &whole[int64]{&r.MaxSize} }},
	"max_characters":   {aNumber, func(r *Request) any { return &whole[int]{&r.MaxCharacters} }},
	"start_index":      {aNumber, func(r *Request) any { return &whole[int]{&r.StartIndex} }},
	"content_sha256":   {aText, func(r *Request) any { return &r.ContentSHA256 }},
	"selector":         {aText, func(r *Request) any { return &r.Selector }},
	"xpath":            {aText, func(r *Request) any { return &r.XPath }},
	"json_path":        {aText, func(r *Request) any { return &r.JSONPath }},
	"headers":          {texts, func(r *Request) any { return &r.Headers }},
	"render":           {aText, func(r *Request) any { return &r.Render }},
	"engine":           {aText, func(r *Request) any { return &r.Engine }},
	"no_cache":         {aSwitch, func(r *Request) any { return &r.NoCache }},
	"session":          {aText, func(r *Request) any { return &r.Session }},
	"credential":       {aText, func(r *Request) any { return &r.Credential }},
	"profile":          {aText, func(r *Request) any { return &r.Profile }},
	"locale":           {aText, func(r *Request) any { return &r.Language }},
	"follow_redirects": {aSwitch, func(r *Request) any { return (*opposite)(&r.NoRedirects) }},
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
			return Request{}, fault.Invalid(bounded.Characters(name, 40), ReasonRequestInvalid, "there is no field %q; the fields are %s", bounded.Characters(name, 40), strings.Join(fieldNames(), ", "))
		}
		if string(raw[name]) == "null" {
			continue
		}
		if other, ok := seen[key]; ok {
			return Request{}, fault.Invalid(name, ReasonRequestInvalid, "%s and %s are the same field; give one of them", other, name)
		}
		seen[key] = name
		if json.Unmarshal(raw[name], fields[key].of(&req)) != nil {
			return Request{}, fault.Invalid(name, ReasonRequestInvalid, "the field %s must be %s", name, fields[key].wanted)
		}
	}
	return req, nil
}

// seconds is a time that is read from a number of seconds, or from a duration such as "1m30s".
type seconds time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (s *seconds) UnmarshalJSON(v []byte) error {
	var number float64
	if json.Unmarshal(v, &number) == nil {
		number = max(-math.MaxInt32, min(number, math.MaxInt32))
		*s = seconds(number * float64(time.Second))
		return nil
	}
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	*s = seconds(d)
	return err
}

// whole reads a whole number, which some clients write as 1.0.
type whole[T int | int64] struct{ to *T }

// UnmarshalJSON implements json.Unmarshaler.
func (w *whole[T]) UnmarshalJSON(v []byte) error {
	var n float64
	if err := json.Unmarshal(v, &n); err != nil {
		return err
	}
	if n != math.Trunc(n) || math.Abs(n) > 1<<52 {
		return fmt.Errorf("%v is no whole number", n)
	}
	*w.to = T(n)
	return nil
}

// opposite is true for false, and false for true.
type opposite bool

// UnmarshalJSON implements json.Unmarshaler.
func (o *opposite) UnmarshalJSON(v []byte) error {
	var is bool
	err := json.Unmarshal(v, &is)
	*o = opposite(!is)
	return err
}

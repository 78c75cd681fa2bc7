package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/quorate/quorate/registry/agentcard"
)

const (
	maxDifferences = 50
	maxShown       = 120 // characters of a path or a value in a difference
	shownBefore    = 40  // characters that are shown before the first that differs
)

// Difference is one place in which a change differs from what is in force.
type Difference struct {
	Field string `json:"field"`         // such as card.supportedInterfaces[0].url
	Old   string `json:"old,omitempty"` // JSON, shortened; empty when there is nothing
	New   string `json:"new,omitempty"`
}

// Fields for readers. Everything else matters, whether Quorate knows it or not: it decides where tasks go and with what, or who is found for them.
// Signatures change with each text, and have rules of their own.
var (
	readersOfCards  = []string{"description", "version", "iconUrl", "documentationUrl", "signatures"}
	readersOfSkills = []string{"name", "description", "examples"}
	readersOfSchema = []string{"description"}
)

// cardEssence returns what matters in a card, with its skills by id, so that their order does not.
func cardEssence(raw []byte) (map[string]any, error) {
	root, err := agentcard.Decode(raw)
	if err != nil {
		return nil, err
	}
	root = without(root, readersOfCards)
	if skills, ok := root["skills"].([]any); ok {
		root["skills"] = keyed(skills, "id", readersOfSkills)
	}
	return root, nil
}

// schemasEssence returns what matters in the schemas of metadata, by name.
func schemasEssence(m *agentcard.Metadata) (map[string]any, error) {
	encoded, err := json.Marshal(agentcard.Metadata{InputSchemas: m.InputSchemas, OutputSchemas: m.OutputSchemas})
	if err != nil {
		return nil, fmt.Errorf("encoding schemas: %w", err)
	}
	var root map[string]any
	if err := json.Unmarshal(encoded, &root); err != nil {
		return nil, fmt.Errorf("encoding schemas: %w", err)
	}
	for key, value := range root {
		if list, ok := value.([]any); ok {
			root[key] = keyed(list, "name", readersOfSchema)
		}
	}
	return root, nil
}

// keyed returns a list of objects as an object by one of their fields, without the fields for readers.
func keyed(list []any, by string, readers []string) map[string]any {
	all := make(map[string]any, len(list))
	for _, entry := range list {
		if object, ok := entry.(map[string]any); ok {
			key, _ := object[by].(string)
			all[key] = without(object, readers)
		}
	}
	return all
}

func without(object map[string]any, keys []string) map[string]any {
	rest := maps.Clone(object)
	for _, key := range keys {
		delete(rest, key)
	}
	return rest
}

// digestOf identifies an essence with the origin from which it was read.
func digestOf(essence map[string]any, origin string) (string, error) {
	encoded, err := json.Marshal(essence)
	if err != nil {
		return "", fmt.Errorf("encoding what matters of an agent: %w", err)
	}
	sum := sha256.Sum256(append(encoded, origin...))
	return hex.EncodeToString(sum[:]), nil
}

// originOf returns the origin of a URL that was checked when it was taken.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

// differences collects differences, at most maxDifferences; the last entry of a longer list says how many are left out.
type differences struct {
	list []Difference
	more int
}

// none stands for what is not there.
type none struct{}

// compare adds the differences between two decoded JSON values.
func (d *differences) compare(path string, old, now any) {
	if reflect.DeepEqual(old, now) {
		return
	}
	was, ok := old.(map[string]any)
	is, ok2 := now.(map[string]any)
	if ok && ok2 {
		for _, key := range slices.Sorted(maps.Keys(union(was, is))) {
			d.compare(shorten(path+"."+shorten(key, 0), 0), at(was, key), at(is, key))
		}
		return
	}
	wasList, ok := old.([]any)
	isList, ok2 := now.([]any)
	if ok && ok2 && slices.ContainsFunc(append(slices.Clip(wasList), isList...), isObject) {
		for i := range max(len(wasList), len(isList)) {
			d.compare(fmt.Sprintf("%s[%d]", path, i), index(wasList, i), index(isList, i))
		}
		return
	}
	d.add(path, textOf(old), textOf(now))
}

func (d *differences) add(path, old, now string) {
	if len(d.list) == maxDifferences {
		d.more++
		return
	}
	from := max(0, commonPrefix(old, now)-shownBefore)
	d.list = append(d.list, Difference{Field: path, Old: shorten(old, from), New: shorten(now, from)})
}

func (d *differences) done() []Difference {
	if d.more > 0 {
		return append(d.list, Difference{Field: fmt.Sprintf("and %d more", d.more)})
	}
	return d.list
}

func union(a, b map[string]any) map[string]any {
	all := make(map[string]any, max(len(a), len(b))) // not a clone, since a may be nil
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

func at(object map[string]any, key string) any {
	if value, ok := object[key]; ok {
		return value
	}
	return none{}
}

func index(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return none{}
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// textOf returns a decoded value as JSON.
func textOf(v any) string {
	if _, ok := v.(none); ok {
		return ""
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "?" // it was decoded from JSON
	}
	return strings.TrimSpace(b.String())
}

// commonPrefix returns how many characters two texts have in common at their beginnings.
func commonPrefix(a, b string) int {
	x, y := []rune(a), []rune(b)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return i
		}
	}
	return min(len(x), len(y))
}

// shorten returns at most maxShown characters of a text, from the given one on.
func shorten(text string, from int) string {
	runes := []rune(text)
	if from >= len(runes) {
		return text
	}
	short := string(runes[from:min(len(runes), from+maxShown)])
	if from > 0 {
		short = "…" + short
	}
	if from+maxShown < len(runes) {
		short += "…"
	}
	return short
}

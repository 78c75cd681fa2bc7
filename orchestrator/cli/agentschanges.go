package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const maxChanges = 20

// changesBetween returns in words how next differs from present in what an admin says about an agent, at most 20 differences.
func changesBetween(present, next *registryv1.Agent) ([]string, error) {
	before, err := describedIn(present)
	if err != nil {
		return nil, err
	}
	after, err := describedIn(next)
	if err != nil {
		return nil, err
	}
	changes := differences("", before, after, nil)
	if more := len(changes) - maxChanges; more > 0 {
		changes = append(changes[:maxChanges], "and "+strconv.Itoa(more)+" more")
	}
	return changes, nil
}

// describedIn returns what an admin says about an agent, as JSON decodes it.
func describedIn(agent *registryv1.Agent) (any, error) {
	source := &registryv1.AgentSource{Type: agent.GetSource().GetType(), Location: agent.GetSource().GetLocation()} // not when it was seen there
	text, err := compactJSON(&registryv1.Agent{Card: agent.GetCard(), CardUri: agent.GetCardUri(), Metadata: agent.GetMetadata(), Source: source})
	if err != nil {
		return nil, err
	}
	var value any
	return value, json.Unmarshal(text, &value)
}

// differences appends to found how b differs from a. nil stands for what is not there.
func differences(path string, a, b any, found []string) []string {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			keys := maps.Clone(a)
			maps.Copy(keys, b)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				found = differences(joined(path, key), a[key], b[key], found)
			}
			return found
		}
	case []any:
		if b, ok := b.([]any); ok {
			for i := range max(len(a), len(b)) {
				found = differences(path+"["+strconv.Itoa(i)+"]", item(a, i), item(b, i), found)
			}
			return found
		}
	}
	switch {
	case reflect.DeepEqual(a, b):
		return found
	case a == nil:
		return append(found, fmt.Sprintf("%s: added %s", path, valueText(b)))
	case b == nil:
		return append(found, fmt.Sprintf("%s: removed %s", path, valueText(a)))
	}
	return append(found, fmt.Sprintf("%s: %s -> %s", path, valueText(a), valueText(b)))
}

func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func item(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func valueText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "?" // it was decoded from JSON
	}
	return cut(string(text))
}

package registry

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/quorate/quorate/platform/filter"
	"github.com/quorate/quorate/registry/agentcard"
)

// Filter is a condition on agents in the language of package filter. The zero value matches everything.
type Filter struct{ filter.Filter[Agent] }

// ParseFilter parses a filter. An error is an InvalidArgument fault with the reason FILTER_INVALID that says what is wrong, and where.
func ParseFilter(text string) (Filter, error) {
	f, err := filter.Parse(text, filterFields)
	return Filter{f}, err
}

// Skill returns the id of a skill that every matching agent must have, or "". Stores can look agents up by it.
func (f Filter) Skill() string { return f.Has("skills") }

// Tag returns a tag that every matching agent must have, or "".
func (f Filter) Tag() string { return f.Has("tags") }

// live reports whether the filter depends on anything that heartbeats change.
func (f Filter) live() bool { return f.Reads("status") || f.Loads() }

// Loads reports whether the filter depends on something that heartbeats change and the change log does not record. Evaluating it takes the pulses of
// all agents.
func (f Filter) Loads() bool { return f.Reads("draining", "capacity", "in_flight") }

// filterFields are the fields that a filter can compare.
var filterFields = filter.Fields[Agent]{
	"name":               filter.Text(func(a *Agent) string { return a.Name }),
	"description":        filter.Text(func(a *Agent) string { return a.Card.Description }),
	"card_uri":           filter.Text(func(a *Agent) string { return a.CardURI }),
	"version":            filter.Ordered(func(a *Agent) string { return a.Card.Version }, versionOrder),
	"status":             filter.Word([]string{StatusAvailable, StatusBusy, StatusUnavailable, StatusError, StatusUnknown}, func(a *Agent) string { return a.Status.Status }),
	"streaming":          filter.Bool(func(a *Agent) bool { return a.Card.Streaming }),
	"push_notifications": filter.Bool(func(a *Agent) bool { return a.Card.PushNotifications }),
	"draining":           filter.Bool(func(a *Agent) bool { return a.Status.Draining }),
	"capacity":           filter.Number(func(a *Agent) int { return a.Status.Capacity }),
	"in_flight":          filter.Number(func(a *Agent) int { return a.Status.InFlight }),
	"pending_change":     filter.Bool(func(a *Agent) bool { return a.Pending != nil }),
	"create_time":        filter.Time(func(a *Agent) time.Time { return a.CreateTime }),
	"update_time":        filter.Time(func(a *Agent) time.Time { return a.UpdateTime }),
	"skills":             filter.List(hasSkill),
	"tags":               filter.Folded(agentcard.FoldTag, hasTag),
	"input_types":        filter.List(hasInputType),
	"output_types":       filter.List(hasOutputType),
	"source.type":        filter.Word([]string{SourceAPI, SourceURLs, SourceFolder, SourceAICatalog}, func(a *Agent) string { return cmp.Or(a.Source.Type, SourceAPI) }),
	"source.location":    filter.Text(func(a *Agent) string { return a.Source.Location }),
	"source.present":     filter.Bool(func(a *Agent) bool { return !a.Source.Gone }),
	"verification.state": filter.Word(
		[]string{VerificationVerified, VerificationUnsigned, VerificationUntrusted, VerificationInvalid, VerificationUnchecked},
		func(a *Agent) string { return cmp.Or(a.Verification.State, VerificationUnchecked) }),
}

func hasSkill(a *Agent, is func(string) bool) bool {
	return slices.ContainsFunc(a.Card.Skills, func(s agentcard.Skill) bool { return is(s.ID) })
}

func hasTag(a *Agent, is func(string) bool) bool {
	return slices.ContainsFunc(a.Card.Skills, func(s agentcard.Skill) bool {
		return slices.ContainsFunc(s.Tags, func(tag string) bool { return is(agentcard.FoldTag(tag)) })
	})
}

func hasInputType(a *Agent, is func(string) bool) bool {
	return slices.ContainsFunc(a.Metadata.InputSchemas, func(s agentcard.InputSchema) bool { return is(s.SemanticType) })
}

func hasOutputType(a *Agent, is func(string) bool) bool {
	return slices.ContainsFunc(a.Metadata.OutputSchemas, func(s agentcard.OutputSchema) bool { return is(s.SemanticType) })
}

// versionOrder compares values as semantic versions.
func versionOrder(value string) (func(*Agent) (int, bool), error) {
	want, err := semver.StrictNewVersion(value)
	if err != nil {
		return nil, errors.New("a semantic version such as 1.2.0 is needed")
	}
	return func(a *Agent) (int, bool) {
		got, err := semver.StrictNewVersion(a.Card.Version)
		if err != nil {
			return 0, false
		}
		return got.Compare(want), true
	}, nil
}

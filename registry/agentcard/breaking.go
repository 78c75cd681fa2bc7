package agentcard

import (
	"fmt"
	"slices"

	"github.com/quorate/quorate/platform/fault"
)

// Codes of breaking changes: what a new card no longer offers.
const (
	SkillRemoved          = "SKILL_REMOVED"
	InterfaceRemoved      = "INTERFACE_REMOVED"
	ModeRemoved           = "MODE_REMOVED"
	SecuritySchemeRemoved = "SECURITY_SCHEME_REMOVED"
)

// maxBreaking bounds a report. The last entry of a longer one says how many are left out.
const maxBreaking = 100

// BreakingChange is something that callers of an agent may rely on and that its new card no longer has.
type BreakingChange struct {
	Code    string `json:"code"`  // one of the constants above
	Field   string `json:"field"` // path in the old card
	Message string `json:"message"`
}

// BreakingChanges reports what next no longer offers of old.
func BreakingChanges(old, next *Card) []BreakingChange {
	var report breakingReport
	for _, i := range old.Interfaces {
		if !slices.ContainsFunc(next.Interfaces, func(n Interface) bool { return sameInterface(i, n) }) {
			report.add(InterfaceRemoved, "card.supportedInterfaces", "the %s interface at %s is gone", i.Binding, fault.Clip(i.URL))
		}
	}
	for _, name := range old.SecuritySchemes {
		if !slices.Contains(next.SecuritySchemes, name) {
			report.add(SecuritySchemeRemoved, "card.securitySchemes", "the security scheme %q is gone", fault.Clip(name))
		}
	}
	report.modes("card.defaultInputModes", old.DefaultInputModes, next.DefaultInputModes)
	report.modes("card.defaultOutputModes", old.DefaultOutputModes, next.DefaultOutputModes)
	skills := make(map[string]*Skill, len(next.Skills))
	for i := range next.Skills {
		skills[next.Skills[i].ID] = &next.Skills[i]
	}
	for i := range old.Skills {
		was := &old.Skills[i]
		is, ok := skills[was.ID]
		if !ok {
			report.add(SkillRemoved, "card.skills", "the skill %q is gone", fault.Clip(was.ID))
			continue
		}
		path := fmt.Sprintf("card.skills[%d]", i)
		report.modes(path+".inputModes", modesOf(was.InputModes, old.DefaultInputModes), modesOf(is.InputModes, next.DefaultInputModes))
		report.modes(path+".outputModes", modesOf(was.OutputModes, old.DefaultOutputModes), modesOf(is.OutputModes, next.DefaultOutputModes))
	}
	return report.done()
}

// sameInterface reports whether callers of a can call b without any change.
func sameInterface(a, b Interface) bool {
	return a.Binding == b.Binding && a.URL == b.URL && a.Tenant == b.Tenant && a.ProtocolVersion == b.ProtocolVersion
}

// modesOf returns a skill's own modes or, when it has none, the agent's.
func modesOf(own, standard []string) []string {
	if len(own) > 0 {
		return own
	}
	return standard
}

type breakingReport struct {
	list []BreakingChange
	more int
}

func (b *breakingReport) add(code, field, format string, args ...any) {
	if len(b.list) == maxBreaking-1 {
		b.more++
		return
	}
	b.list = append(b.list, BreakingChange{Code: code, Field: field, Message: fmt.Sprintf(format, args...)})
}

func (b *breakingReport) modes(field string, old, next []string) {
	for _, mode := range old {
		if !slices.Contains(next, mode) {
			b.add(ModeRemoved, field, "the mode %q is gone", fault.Clip(mode))
		}
	}
}

func (b *breakingReport) done() []BreakingChange {
	if b.more > 0 {
		last := b.list[len(b.list)-1]
		b.list = append(b.list, BreakingChange{Code: last.Code, Field: "card", Message: fmt.Sprintf("and %d more", b.more)})
	}
	return b.list
}

// BreakingWarnings returns changes as warnings for the author of the new card.
func BreakingWarnings(changes []BreakingChange) []Warning {
	warnings := make([]Warning, len(changes))
	for i, c := range changes {
		warnings[i] = Warning{Code: c.Code, Message: c.Message, Field: c.Field}
	}
	return warnings
}

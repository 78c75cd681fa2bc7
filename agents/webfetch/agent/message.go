package agent

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/prose"
)

// The reasons of messages that cannot be worked on, both InvalidArgument.
const (
	ReasonURLMissing  = "URL_MISSING"  // no http or https URL in it
	ReasonDataInvalid = "DATA_INVALID" // a data part for this agent that is invalid
)

var skillIDs = []string{SkillFetch, SkillLinks, SkillExtract, SkillAddDomain, SkillRemoveDomain, SkillListDomains}

// order is what a message asks for.
type order struct {
	skill  string // one of the skills
	page   webfetch.Request
	more   int    // how many further pages the message names
	domain string // for skills about the list of domains
}

// readOrder parses a message. The skill is named by the field "skill" of a data part, or by the beginning of a text. Without either it is the one that
// was asked for; if that is none of this agent's, the first page that the message names is fetched.
func readOrder(asked string, parts []*a2a.Part) (order, error) {
	o := order{skill: SkillFetch}
	if slices.Contains(skillIDs, asked) {
		o.skill = asked
	}
	pages := 0
	for _, part := range parts {
		switch content := part.Content.(type) {
		case a2a.Text:
			pages += o.readText(string(content))
		case a2a.Data:
			found, err := o.readData(content.Value)
			if err != nil {
				return order{}, err
			}
			if found {
				pages++
			}
		}
	}
	o.more = max(pages-1, 0)
	return o, o.complete()
}

// readText parses a text part and returns how many pages it names.
func (o *order) readText(text string) (pages int) {
	skill, rest := leadingSkill(text)
	if skill != "" {
		o.skill = skill
	}
	if aboutDomains(o.skill) {
		o.domain = strings.TrimSpace(rest)
		return 0
	}
	for url := range prose.URLs(rest) {
		o.page.URL = cmp.Or(o.page.URL, url)
		pages++
	}
	return pages
}

// complete fills in what the skill implies, and returns a fault if something is missing.
func (o *order) complete() error {
	switch {
	case !aboutDomains(o.skill) && o.page.URL == "":
		return fault.Invalid("message", ReasonURLMissing, "the message names no page; write its http or https URL, such as: Fetch https://example.com/article")
	case (o.skill == SkillAddDomain || o.skill == SkillRemoveDomain) && o.domain == "":
		return fault.Invalid("message", ReasonDataInvalid, "the message names no domain; write it after %s, such as: %s example.com", o.skill, o.skill)
	case o.skill == SkillLinks:
		o.page.Format = webfetch.Links
	case o.skill == SkillExtract && o.page.Selector == "" && o.page.XPath == "" && o.page.JSONPath == "":
		return fault.Invalid("message", ReasonDataInvalid, `to extract, send a data part with a selector, an xpath or a json_path: {"skill": "extract", "url": "…", "selector": "h1"}`)
	}
	return nil
}

func aboutDomains(skill string) bool {
	return skill == SkillAddDomain || skill == SkillRemoveDomain || skill == SkillListDomains
}

// leadingSkill returns the skill that text begins with, and the text after it.
func leadingSkill(text string) (skill, rest string) {
	trimmed := strings.TrimSpace(text)
	for _, id := range skillIDs {
		after, ok := strings.CutPrefix(trimmed, id)
		if ok && (after == "" || strings.ContainsAny(after[:1], " \t\r\n:")) {
			return id, strings.TrimPrefix(after, ":")
		}
	}
	return "", text
}

// readData reads a data part that names a skill, a page or a domain, and reports whether it was a page; other data is not for
// this agent.
func (o *order) readData(value any) (page bool, err error) {
	object, _ := value.(map[string]any)
	skill, named := object["skill"].(string)
	_, hasURL := object["url"]
	domain, hasDomain := object["domain"].(string)
	if named {
		known, rest := leadingSkill(skill)
		if known == "" || rest != "" {
			return false, fault.Invalid("message.parts", ReasonDataInvalid, "there is no skill %q", skill)
		}
		o.skill = known
	}
	switch {
	case aboutDomains(o.skill):
		if hasDomain {
			o.domain = domain
		}
		return false, nil
	case !hasURL:
		return false, nil
	}
	fields := make(map[string]any, len(object))
	for name, v := range object {
		if name != "skill" {
			fields[name] = v
		}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return false, fault.Invalid("message.parts", ReasonDataInvalid, "the data part cannot be read")
	}
	req, err := webfetch.ParseRequest(raw)
	if err != nil {
		return false, fault.Invalid("message.parts", ReasonDataInvalid, "the data part cannot be read: %s", fault.From(err).Message)
	}
	if o.page.URL == "" {
		o.page = req
	}
	return true, nil
}

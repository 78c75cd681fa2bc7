// Package agent makes an A2A agent of a webfetch.Fetcher.
//
// It takes the first http or https URL in the message's text, or a data part {"url": …, "format": …} with any fields of a request, and answers with
// the page as one artifact: page.md, page.txt, page.html or page.json. A message that begins with the id of a skill, or a data part with the field
// "skill", asks for that skill, as does a caller that asked Quorate for it. A failed fetch fails the task with a reason of package webfetch. The artifact comes from outside, as its metadata
// says: whoever puts it into a prompt must mark it as data.
package agent

import (
	"context"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/webfetch"
	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// What the card says.
const (
	Name    = "web-fetch"
	Version = "0.1.0"
)

// The ids of the skills.
const (
	SkillFetch        = "fetch_url"
	SkillLinks        = "fetch_links"
	SkillExtract      = "extract"
	SkillAddDomain    = "add_domain"
	SkillRemoveDomain = "remove_domain"
	SkillListDomains  = "list_domains"
)

// The reasons of faults of the agent itself.
const (
	ReasonPageEmpty = "PAGE_EMPTY"          // FailedPrecondition: the page has no text to deliver
	ReasonReadOnly  = "ALLOWLIST_READ_ONLY" // PermissionDenied: the list cannot be changed through the agent
)

// Options are the optional parts of NewConfig.
type Options struct {
	// AllowlistWrite lets anybody who can send messages to the agent change the list of allowed hosts. It is off by default because the text of a
	// page can ask for that, and its reader may pass that on.
	AllowlistWrite bool

	// Reviewer is the agent that reviews pages with sensitive data; empty means "reviewer".
	Reviewer string
}

// NewConfig returns the agent's config without what depends on the deployment: Listener, PublicURL, Server, Token, Logger.
func NewConfig(f *webfetch.Fetcher, o Options) kit.Config {
	if o.Reviewer == "" {
		o.Reviewer = "reviewer"
	}
	config := kit.Config{
		Name:        Name,
		Description: "Reads a web page and returns its main content as Markdown. Reads allowed hosts only, never internal addresses.",
		Version:     Version,
		Skills:      skills(f, o),
		Metadata:    metadata(o),
		Handler:     handler{fetcher: f, options: o}.handle,
	}
	if f.Profile().Name == webfetch.ProfileSlack {
		config.Name, config.Version = "SlackAI-WebFetchAgent", "1.0.0"
		config.Description = "指定URLのWebコンテンツをテキストとして取得する専用エージェント。SSRFセキュリティ対策済み。"
	}
	return config
}

// skills returns the skills on the card, without those that would always be refused.
func skills(f *webfetch.Fetcher, o Options) []kit.Skill {
	var list []kit.Skill
	if !f.Disabled() {
		fetch := kit.Skill{
			ID: SkillFetch, Name: "Fetch URL", Description: "Reads the web page at a URL and returns its main content as Markdown.",
			Tags: []string{"web", "fetch", "markdown"}, Examples: []string{
				"Fetch https://example.com/article", "Read the web page http://example.com/ and give me its text", "Get the page at https://example.com/docs as Markdown",
			},
		}
		if f.Profile().Name == webfetch.ProfileSlack {
			fetch.Description = "指定URLのWebコンテンツをテキストとして取得する。SSRFセキュリティ対策済み。"
		}
		list = append(list, fetch)
		if f.Profile().Engine == webfetch.EngineHTTP {
			list = append(list, kit.Skill{
				ID: SkillLinks, Name: "Fetch links", Description: "Reads the web page at a URL and returns its links as JSON.",
				Tags: []string{"web", "links"}, Examples: []string{"fetch_links https://example.com/", "Which links are on https://example.com/?"},
			}, kit.Skill{
				ID: SkillExtract, Name: "Extract", Description: "Returns the parts of a web page that a CSS selector, an XPath or a JSONPath names.",
				Tags: []string{"web", "extract"}, Examples: []string{
					`{"skill": "extract", "url": "https://example.com/", "selector": "h1"}`,
				},
			})
		}
	}
	list = append(list, kit.Skill{
		ID: SkillListDomains, Name: "List domains", Description: "Returns the allowed domains.",
		Tags: []string{"web", "allowlist"}, Examples: []string{"list_domains", "Which domains are allowed?"},
	})
	if o.AllowlistWrite {
		list = append(list, kit.Skill{
			ID: SkillAddDomain, Name: "Add domain", Description: "Allows a domain to be read.",
			Tags: []string{"web", "allowlist"}, Examples: []string{"add_domain example.com"},
		}, kit.Skill{
			ID: SkillRemoveDomain, Name: "Remove domain", Description: "Stops a domain from being read.",
			Tags: []string{"web", "allowlist"}, Examples: []string{"remove_domain example.com"},
		})
	}
	return list
}

func metadata(o Options) *registryv1.AgentMetadata {
	return &registryv1.AgentMetadata{
		InputSchemas: []*registryv1.InputSchema{{
			Name: "url", SemanticType: "reference", Description: "The http or https URL of the page to read.", Required: new(true),
		}},
		OutputSchemas: []*registryv1.OutputSchema{{
			Name: "page", SemanticType: "document", Description: "The main content of the page.", Guaranteed: new(true),
		}},
		ConsultationRequirements: []*registryv1.ConsultationRequirement{{
			Id: "sensitive-data-review", TargetAgent: o.Reviewer, Phase: "pre-completion", Mandatory: new(true),
			Condition: &registryv1.ConsultationCondition{Attribute: "handling_sensitive_data", Operator: "equals", Value: structpb.NewBoolValue(true)},
		}},
	}
}

type handler struct {
	fetcher *webfetch.Fetcher
	options Options
}

func (h handler) handle(ctx context.Context, t *kit.Task) error {
	o, err := readOrder(t.Skill(), t.Parts)
	if err != nil {
		return err
	}
	if aboutDomains(o.skill) {
		return h.handleDomains(ctx, t, o)
	}
	if o.more > 0 {
		if err := t.Progress(ctx, fmt.Sprintf("The message names %d URLs; reading the first one.", o.more+1)); err != nil {
			return err
		}
	}
	if o.page.Language == "" {
		o.page.Language = acceptLanguage(ctx)
	}
	o.page.Owner = "a2a\x00" + t.ContextID() // each conversation has sessions of its own
	if err := t.Progress(ctx, "Reading the page."); err != nil {
		return err
	}
	page, err := h.fetcher.Fetch(ctx, o.page)
	if err != nil {
		return err
	}
	if page.Content == "" && page.StartIndex == 0 {
		return fault.New(fault.FailedPrecondition, ReasonPageEmpty, "the page at %s %s", page.Domain, page.Missing())
	}
	if err := h.tell(ctx, t, page); err != nil {
		return err
	}
	return t.AddArtifact(ctx, artifactOf(&page))
}

// tell reports what a reader of the page should know.
func (h handler) tell(ctx context.Context, t *kit.Task, page webfetch.Page) error {
	read := fmt.Sprintf("Read %d characters from %s.", page.TotalCharacters, page.Domain)
	if page.NextIndex > 0 {
		read = fmt.Sprintf("The page is longer than %d characters and was cut there; read on with start_index %d.", page.NextIndex, page.NextIndex)
	}
	return t.Progress(ctx, read)
}

// acceptLanguage returns the header of the call that brought the message.
func acceptLanguage(ctx context.Context) string {
	call, ok := a2asrv.CallContextFrom(ctx)
	if !ok {
		return ""
	}
	values, _ := call.ServiceParams().Get("accept-language")
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

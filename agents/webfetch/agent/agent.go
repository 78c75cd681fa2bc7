// Package agent makes an A2A agent of a webfetch.Fetcher.
//
// It takes the first http or https URL of the message's text, or a data part {"url": …, "format": …}, and answers with the page as one
// artifact: page.md, page.txt or page.html. A failed fetch fails the task with the reason of package webfetch. The artifact
// comes from outside: whoever puts it in a prompt must mark it as data.
package agent

import (
	"context"
	"errors"
	"fmt"

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
	SkillID = "fetch_url"
)

// ReasonPageEmpty is the reason of a FailedPrecondition fault: the page has no text to deliver.
const ReasonPageEmpty = "PAGE_EMPTY"

const preCompletion = "pre-completion"

// Options are the optional parts of NewConfig.
type Options struct {
	// ConsultBeforeDelivery has the agent itself consult, through the kit, the targets of the requirements that Quorate listed
	// for the phase pre-completion. It delivers whatever they say: Quorate's gate decides.
	ConsultBeforeDelivery bool
}

// NewConfig returns the agent's config without what its surroundings decide: Listener, PublicURL, Server, Token, Logger.
func NewConfig(f *webfetch.Fetcher, o Options) kit.Config {
	return kit.Config{
		Name:        Name,
		Description: "Reads a web page and returns its main content as Markdown. Reads allowed hosts only, never internal addresses.",
		Version:     Version,
		Skills: []kit.Skill{{
			ID:          SkillID,
			Name:        "Fetch URL",
			Description: "Reads the web page at a URL and returns its main content as Markdown.",
			Tags:        []string{"web", "fetch", "markdown"},
			Examples:    []string{"Fetch https://example.com/article"},
		}},
		Metadata: metadata(),
		Handler:  handler{fetcher: f, options: o}.handle,
	}
}

func metadata() *registryv1.AgentMetadata {
	return &registryv1.AgentMetadata{
		InputSchemas: []*registryv1.InputSchema{{
			Name: "url", SemanticType: "reference", Description: "The http or https URL of the page to read.", Required: true,
		}},
		OutputSchemas: []*registryv1.OutputSchema{{
			Name: "page", SemanticType: "document", Description: "The main content of the page.", Guaranteed: true,
		}},
		ConsultationRequirements: []*registryv1.ConsultationRequirement{{
			Id: "sensitive-data-review", TargetAgent: "reviewer", Phase: preCompletion, Mandatory: true,
			Condition: &registryv1.ConsultationCondition{Attribute: "handling_sensitive_data", Operator: "equals", Value: structpb.NewBoolValue(true)},
		}},
	}
}

type handler struct {
	fetcher *webfetch.Fetcher
	options Options
}

func (h handler) handle(ctx context.Context, t *kit.Task) error {
	req, more, err := readRequest(t)
	if err != nil {
		return err
	}
	if more > 0 {
		if err := t.Progress(ctx, fmt.Sprintf("The message names %d URLs; reading the first one.", more+1)); err != nil {
			return err
		}
	}
	page, err := h.fetcher.Fetch(ctx, req)
	if err != nil {
		return err
	}
	if page.Content == "" {
		return fault.New(fault.FailedPrecondition, ReasonPageEmpty, "the page at %s has no text that can be read; it may need a browser with scripts", page.Domain)
	}
	if page.Truncated {
		if err := t.Progress(ctx, fmt.Sprintf("The page is longer than %d characters and was cut there.", page.TruncatedAt)); err != nil {
			return err
		}
	}
	artifact := artifactOf(page)
	if h.options.ConsultBeforeDelivery {
		if err := consult(ctx, t, artifact); err != nil {
			return err
		}
	}
	return t.AddArtifact(ctx, artifact)
}

func artifactOf(page webfetch.Page) kit.Artifact {
	switch page.Format {
	case webfetch.Text:
		return kit.Artifact{Name: "page.txt", MediaType: "text/plain", Text: page.Content}
	case webfetch.HTML:
		return kit.Artifact{Name: "page.html", MediaType: "text/html", Text: page.Content}
	case webfetch.Markdown:
	}
	return kit.Artifact{Name: "page.md", MediaType: "text/markdown", Text: page.Content}
}

// consult has each requirement's target look at the artifact and tells the caller what it said. Only the end of ctx stops the
// delivery: a consultation that failed leaves the gate shut, and it can be asked for again without a new fetch.
func consult(ctx context.Context, t *kit.Task, artifact kit.Artifact) error {
	for _, requirement := range t.Requirements() {
		if requirement.Phase != preCompletion {
			continue
		}
		outcome, err := t.Consult(ctx, requirement.ID, artifact)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		said := fmt.Sprintf("%s: %s", outcome.Verdict, outcome.Feedback)
		if err != nil {
			said = "could not be consulted: " + fault.From(err).Message
		}
		if err := t.Progress(ctx, fmt.Sprintf("Consulted %s for %s: %s", requirement.TargetAgent, requirement.ID, said)); err != nil {
			return errors.Join(err, ctx.Err())
		}
	}
	return nil
}

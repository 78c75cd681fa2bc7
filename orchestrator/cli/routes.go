package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// routeFlags are the four ways to say where a task goes.
type routeFlags struct {
	agent, skill, text string
	have               []string
	want               string
}

func (r *routeFlags) add(cmd *cobra.Command, textFlag string) {
	flags := cmd.Flags()
	flags.StringVar(&r.agent, "agent", "", "the agent that does it")
	flags.StringVar(&r.skill, "skill", "", "the skill it needs; an agent that has it is chosen")
	flags.StringVar(&r.text, textFlag, "", "what is to be done, in words; the agent whose skills are most like it is chosen")
	flags.StringVar(&r.want, "want", "", "the output wanted: a name, a semantic type, or name:type; an agent that makes it is chosen")
	flags.StringArrayVar(&r.have, "have", nil, "with --want, an input that is there, in the same form; repeated")
	ways := []string{"agent", "skill", textFlag, "want"}
	cmd.MarkFlagsOneRequired(ways...)
	cmd.MarkFlagsMutuallyExclusive(ways...)
}

func (r *routeFlags) route() (*orchestratorv1.Route, error) {
	if len(r.have) > 0 && r.want == "" {
		return nil, usage("--have needs --want")
	}
	switch {
	case r.skill != "":
		return &orchestratorv1.Route{To: &orchestratorv1.Route_Skill{Skill: r.skill}}, nil
	case r.text != "":
		return &orchestratorv1.Route{To: &orchestratorv1.Route_Text{Text: r.text}}, nil
	case r.want != "":
		c := &orchestratorv1.Contract{Output: typed(r.want)}
		for _, in := range r.have {
			c.Inputs = append(c.Inputs, typed(in))
		}
		return &orchestratorv1.Route{To: &orchestratorv1.Route_Contract{Contract: c}}, nil
	default:
		return &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: r.agent}}, nil
	}
}

// typed reads name:type, or one of the two: a word that is a semantic type is one.
func typed(text string) *orchestratorv1.Typed {
	name, kind, both := strings.Cut(text, ":")
	if !both {
		switch name {
		case "document", "artifact", "collection", "reference", "comment":
			name, kind = "", name
		}
	}
	return &orchestratorv1.Typed{Name: name, SemanticType: kind}
}

func (a *app) routes() *cobra.Command {
	cmd := a.clients("routes", "See where a task would go", "route")
	cmd.AddCommand(a.routesResolve())
	return cmd
}

func (a *app) routesResolve() *cobra.Command {
	var to routeFlags
	cmd := &cobra.Command{
		Use:   "resolve",
		Short: "Tell where a task would go and why, without sending it",
		Example: "  quorate routes resolve --skill fetch_url\n" +
			"  quorate routes resolve --text 'read a web page as Markdown'\n" +
			"  quorate routes resolve --have document --want artifact",
		Args: arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			route, err := to.route()
			if err != nil {
				return err
			}
			decision := &orchestratorv1.RouteDecision{}
			if err := s.post(ctx, "/v1/routes:resolve", &orchestratorv1.ResolveRouteRequest{Route: route}, decision); err != nil {
				return err
			}
			if err := a.show(decision, func() { a.route(decision); a.chain(decision.GetChain()) }); err != nil {
				return err
			}
			if decision.GetChosen() == "" {
				return &resultError{code: exitNotFound}
			}
			return nil
		}),
	}
	to.add(cmd, "text")
	return cmd
}

// chain prints the agents that would do it one after the other.
func (a *app) chain(links []*orchestratorv1.ChainLink) {
	var rows [][]string
	for _, link := range links {
		var inputs []string
		for _, in := range link.GetInputs() {
			inputs = append(inputs, typedText(in))
		}
		rows = append(rows, []string{link.GetAgent(), strings.Join(inputs, ", ") + " → " + typedText(link.GetOutput())})
	}
	a.section("One after the other these would", rows)
}

func typedText(t *orchestratorv1.Typed) string {
	if t.GetName() == "" || t.GetSemanticType() == "" {
		return t.GetName() + t.GetSemanticType()
	}
	return t.GetName() + " (" + t.GetSemanticType() + ")"
}

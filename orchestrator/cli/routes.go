package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// routeFlags are the flags that say where a task goes.
type routeFlags struct {
	agent, skill, text string
	version            string
	have               []string
	want               string
	fanOut             string
	agents             int32
}

// routeText is the flag of the text that is routed by, which need not be what the agent is told.
const routeText = "route-text"

func (r *routeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&r.agent, "agent", "", "name of the agent")
	flags.StringVar(&r.skill, "skill", "", "id of a skill; an agent that has it is chosen")
	flags.StringVar(&r.text, routeText, "", "what is to be done, in words; the agent whose skills fit best is chosen")
	flags.StringVar(&r.want, "want", "", "the wanted output: a name, a semantic type, or name:type; an agent that makes it is chosen")
	flags.StringArrayVar(&r.have, "have", nil, "with --want, an available input, in the same form; can be repeated")
	flags.Var((*nonEmpty)(&r.fanOut), "fan-out", "have several agents do it: all, any, or the number that must complete it; not with --agent")
	flags.Var((*nonEmpty)(&r.version), "agent-version", "range of versions that the agent may have, such as 1.2.0, ^1.2 or '>=1.4 <2'")
	flags.Int32Var(&r.agents, "agents", 0, "with --fan-out, maximum number of agents (default 5, at most 20)")
	ways := []string{"agent", "skill", routeText, "want"}
	cmd.MarkFlagsOneRequired(ways...)
	cmd.MarkFlagsMutuallyExclusive(ways...)
	cmd.MarkFlagsMutuallyExclusive("agent", "fan-out")
}

func (r *routeFlags) route() (*orchestratorv1.Route, error) {
	if len(r.have) > 0 && r.want == "" {
		return nil, usage("--have needs --want")
	}
	if r.agents != 0 && r.fanOut == "" {
		return nil, usage("--agents needs --fan-out")
	}
	route := &orchestratorv1.Route{Version: r.version}
	switch {
	case r.skill != "":
		route.To = &orchestratorv1.Route_Skill{Skill: r.skill}
	case r.text != "":
		route.To = &orchestratorv1.Route_Text{Text: r.text}
	case r.want != "":
		c := &orchestratorv1.Contract{Output: typed(r.want)}
		for _, in := range r.have {
			c.Inputs = append(c.Inputs, typed(in))
		}
		route.To = &orchestratorv1.Route_Contract{Contract: c}
	case r.agent != "":
		route.To = &orchestratorv1.Route_Agent{Agent: r.agent}
	default:
		return nil, usage("what is given of --agent, --skill, --%s and --want is empty", routeText)
	}
	var err error
	route.FanOut, err = r.several()
	return route, err
}

// several parses --fan-out: all, any or a number.
func (r *routeFlags) several() (*orchestratorv1.FanOut, error) {
	switch r.fanOut {
	case "":
		return nil, nil
	case "all", "any":
		return &orchestratorv1.FanOut{Mode: r.fanOut, Agents: r.agents}, nil
	}
	k, err := strconv.ParseInt(r.fanOut, 10, 32)
	if err != nil || k < 1 {
		return nil, usage("--fan-out is all, any or a number of agents, not %q", r.fanOut)
	}
	return &orchestratorv1.FanOut{Mode: "k_of_n", K: int32(k), Agents: r.agents}, nil
}

// typed parses name:type, or one of the two; a word that is a semantic type is a type.
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
	var message messageFlags
	var inputs []string
	cmd := &cobra.Command{
		Use:   "resolve",
		Short: "Show where a task would go and why, without sending it",
		Example: "  quorate routes resolve --skill fetch_url\n" +
			"  quorate routes resolve --route-text 'read a web page as Markdown'\n" +
			"  quorate routes resolve --have document --want artifact\n" +
			"  quorate routes resolve --skill fetch_url --input url=https://example.com\n" +
			"  quorate routes resolve --skill fetch_url --fan-out 2",
		Args: arguments(),
		RunE: a.calls(func(ctx context.Context, s *session, _ []string) error {
			request, err := a.resolveRequest(&to, &message, inputs)
			if err != nil {
				return err
			}
			decision := &orchestratorv1.RouteDecision{}
			if err := s.post(ctx, "/v1/routes:resolve", request, decision); err != nil {
				return err
			}
			if err := a.show(decision, func() { a.route(decision); a.chain(decision.GetChain()) }); err != nil {
				return err
			}
			if decision.GetRefused() != "" {
				return &resultError{code: exitNotFound}
			}
			return nil
		}),
	}
	to.add(cmd)
	cmd.Flags().StringArrayVar(&inputs, "input", nil, inputFlag+". With any, or a message, it is shown whether the agent takes them")
	message.addFiles(cmd, "file that says what to do; - reads stdin")
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "text" { // as it was called here first
			name = routeText
		}
		return pflag.NormalizedName(name)
	})
	return cmd
}

func (a *app) resolveRequest(to *routeFlags, message *messageFlags, inputs []string) (*orchestratorv1.ResolveRouteRequest, error) {
	request := &orchestratorv1.ResolveRouteRequest{}
	var err error
	if request.Route, err = to.route(); err != nil {
		return nil, err
	}
	if request.Inputs, err = taskInputs(inputs); err != nil {
		return nil, err
	}
	if message.file != "" || message.message != "" {
		request.Message, err = a.message(message)
	}
	return request, err
}

// chain prints the agents that would do the task one after the other.
func (a *app) chain(links []*orchestratorv1.ChainLink) {
	var rows [][]string
	for _, link := range links {
		var inputs []string
		for _, in := range link.GetInputs() {
			inputs = append(inputs, typedText(in))
		}
		rows = append(rows, []string{link.GetAgent(), strings.Join(inputs, ", ") + " → " + typedText(link.GetOutput())})
	}
	a.section("One after the other these do it", rows)
}

func typedText(t *orchestratorv1.Typed) string {
	if t.GetName() == "" || t.GetSemanticType() == "" {
		return t.GetName() + t.GetSemanticType()
	}
	return t.GetName() + " (" + t.GetSemanticType() + ")"
}

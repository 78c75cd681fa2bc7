package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

func (a *app) agentsGet() *cobra.Command {
	return &cobra.Command{
		Use:     "get NAME",
		Short:   "Show one agent: status, card, inputs, outputs and consultation rules",
		Example: "  quorate agents get web-fetch",
		Args:    arguments("NAME"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			agent := &registryv1.Agent{}
			if err := s.get(ctx, agentPath(args[0]), nil, agent); err != nil {
				return err
			}
			return a.show(agent, func() { a.agentDetails(agent) })
		}),
	}
}

func (a *app) agentDetails(agent *registryv1.Agent) {
	c, status := readCard(agent.GetCard()), agent.GetStatus()
	rows := fields(
		"Name", agent.GetName(),
		"Version", agent.GetVersion(),
		"Description", firstLine(c.description),
		"Status", status.GetStatus(),
		"Task", status.GetCurrentTaskId(),
		"Trouble", status.GetErrorMessage(),
		"Last seen", a.when(status.GetLastHeartbeat()),
		"Lease ends", a.when(status.GetLeaseExpireTime()),
		"Card", agent.GetCardUri(),
		"Card version", versionOf(agent),
		"Signature", signatureOf(agent.GetVerification()),
		"Source", sourceOf(agent.GetSource()),
		"Registered", a.when(agent.GetCreateTime()),
		"Changed", a.when(agent.GetUpdateTime()),
		"ETag", agent.GetEtag(),
	)
	a.out.table("", rows)
	var interfaces, skills, inputs, outputs, rules [][]string
	for _, i := range c.interfaces {
		interfaces = append(interfaces, []string{i.binding, i.url})
	}
	for _, skill := range c.skills {
		skills = append(skills, []string{skill.id, skill.description})
	}
	for _, in := range agent.GetMetadata().GetInputSchemas() {
		inputs = append(inputs, []string{in.GetName(), in.GetSemanticType(), choose(in.GetRequired(), "required", "optional")})
	}
	for _, out := range agent.GetMetadata().GetOutputSchemas() {
		outputs = append(outputs, []string{out.GetName(), out.GetSemanticType(), choose(out.GetGuaranteed(), "always", "sometimes")})
	}
	for _, rule := range agent.GetMetadata().GetConsultationRequirements() {
		rules = append(rules, []string{
			rule.GetId(), "consult " + rule.GetTargetAgent(), rule.GetPhase(),
			choose(rule.GetMandatory(), "mandatory", "recommended"), condition(rule.GetCondition()), atLeast(rule.GetMinLevel()),
		})
	}
	a.section("Interfaces", interfaces)
	a.section("Skills", skills)
	a.section("Inputs", inputs)
	a.section("Outputs", outputs)
	a.section("Consultation rules", rules)
	a.pendingChange(agent)
}

// versionOf describes the live version of the card, if there was more than one.
func versionOf(agent *registryv1.Agent) string {
	live, latest := agent.GetLiveVersion(), agent.GetLatestVersion()
	if latest < 2 {
		return ""
	}
	return fmt.Sprintf("%d of %d", live, latest)
}

// signatureOf describes the result of checking the card's signatures, if it has any.
func signatureOf(v *registryv1.CardVerification) string {
	switch v.GetState() {
	case "", "unsigned", "unchecked":
		return ""
	case "verified":
		return "verified with " + v.GetKeyId()
	}
	return v.GetState() + ": " + v.GetReason()
}

// sourceOf describes where the agent was found, if it was not registered.
func sourceOf(s *registryv1.AgentSource) string {
	if s.GetLocation() == "" {
		return ""
	}
	return s.GetType() + " " + s.GetLocation() + choose(s.GetPresent(), "", " (gone)")
}

// atLeast names the level of evidence that a rule demands, if any.
func atLeast(level string) string {
	if level == "" {
		return ""
	}
	return "with evidence of level " + level + " at least"
}

func condition(c *registryv1.ConsultationCondition) string {
	if c == nil {
		return "always"
	}
	text := "when " + c.GetAttribute() + " " + c.GetOperator()
	if c.GetValue() != nil {
		text += " " + jsonText(c.GetValue())
	}
	return text
}

// section prints a table with a title, or nothing when there are no rows.
func (a *app) section(title string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	a.out.line("")
	a.out.line("%s", title)
	a.out.table("  ", rows)
}

// fields makes rows from alternating names and values. It leaves out those with an empty value.
func fields(pairs ...string) [][]string {
	var rows [][]string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" && pairs[i+1] != "-" {
			rows = append(rows, []string{pairs[i], pairs[i+1]})
		}
	}
	return rows
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

package cli

import "github.com/spf13/cobra"

func (a *app) agents() *cobra.Command {
	cmd := a.clients("agents", "Register agents and look them up", "agent")
	cmd.AddCommand(a.agentsList(), a.agentsGet(), a.agentsRegister(), a.agentsDelete(), a.agentsToken(), a.agentsExport(), a.agentsApply(),
		a.agentsVersions(), a.agentsRollback(), a.agentsApprove(), a.agentsReject(), a.agentsRefresh(), a.agentsDrain(), a.agentsResume())
	return cmd
}

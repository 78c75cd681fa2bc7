package cli

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const (
	completionTime = 3 * time.Second // a shell waits for it at a key press
	maxCompletions = 200
)

// plain matches what a shell takes as it is. Ids of skills are chosen by strangers and go onto a command line.
var plain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)

// lookUp returns the words that begin with a prefix, by the server's word. args are the arguments before it.
type lookUp func(ctx context.Context, s *session, args []string, prefix string) ([]cobra.Completion, error)

// complete makes shells offer the server's names for the arguments and flags of cmd and its subcommands that take such, by the words in their usage.
func (a *app) complete(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		a.complete(sub)
	}
	if cmd.RunE == nil || cmd.ValidArgsFunction != nil || cmd.ValidArgs != nil {
		return
	}
	_, usage, _ := strings.Cut(cmd.Use, " ")
	switch word, _, _ := strings.Cut(usage, " "); strings.Trim(word, "[].") {
	case "NAME":
		cmd.ValidArgsFunction = a.completion(agentNames, strings.HasSuffix(word, "..."))
	case "TASK":
		cmd.ValidArgsFunction = a.completion(taskIDs, false)
	case "SKILL":
		cmd.ValidArgsFunction = a.completion(skillIDs, false)
	case "PATH", "FILE": // shells complete files themselves
	default:
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	for name, words := range map[string]cobra.CompletionFunc{
		"agent": a.completion(agentNames, true), "skill": a.completion(skillIDs, true), "requirement": a.completion(requirementIDs, true),
		"fan-out": fixed("all", "any"),
		"output":  fixed("table", "json"),
		"phase":   fixed("pre-execution", "design-review", "pre-completion", "on-error"),
		"role":    fixed("admin", "dispatcher", "agent", "viewer"),
	} {
		if cmd.LocalFlags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, words) // the flag is there
		}
	}
}

func fixed(words ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completion returns the completion by find, of the first argument only or of as many as there are.
func (a *app) completion(find lookUp, many bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const none = cobra.ShellCompDirectiveNoFileComp
		if !many && len(args) > 0 || prefix != "" && !plain.MatchString(prefix) {
			return nil, none
		}
		s, err := a.connect()
		if err != nil {
			return nil, none // a shell shows no errors
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		words, _ := find(ctx, s, args, prefix) // what was found before an error is right
		return words, none
	}
}

func agentNames(ctx context.Context, s *session, _ []string, prefix string) (names []cobra.Completion, err error) {
	query := url.Values{"page_size": {strconv.Itoa(maxCompletions)}}
	if prefix != "" {
		query.Set("filter", "name="+strconv.Quote(prefix+"*"))
	}
	list := &registryv1.ListAgentsResponse{}
	err = s.get(ctx, "/v1/agents", query, list)
	for _, agent := range list.GetAgents() {
		names = append(names, cobra.CompletionWithDesc(agent.GetName(), agent.GetStatus().GetStatus()))
	}
	return names, err
}

// taskIDs looks among the newest tasks only.
func taskIDs(ctx context.Context, s *session, _ []string, prefix string) (ids []cobra.Completion, err error) {
	list := &orchestratorv1.ListTasksResponse{}
	err = s.get(ctx, "/v1/tasks", url.Values{"page_size": {strconv.Itoa(maxCompletions)}}, list)
	for _, task := range list.GetTasks() {
		if strings.HasPrefix(task.GetId(), prefix) {
			ids = append(ids, cobra.CompletionWithDesc(task.GetId(), strings.TrimSpace(stateName(task.GetState())+" "+task.GetAgent())))
		}
	}
	return ids, err
}

// skillIDs reads page by page, as one skill may be that of thousands of agents. Skills come in the order of their ids.
func skillIDs(ctx context.Context, s *session, _ []string, prefix string) (ids []cobra.Completion, err error) {
	err = pages(maxItems, func(query url.Values) (items int, next string, err error) {
		list := &registryv1.ListSkillsResponse{}
		if err := s.get(ctx, "/v1/skills", query, list); err != nil {
			return 0, "", err
		}
		for _, skill := range list.GetSkills() {
			id := skill.GetId()
			if strings.HasPrefix(id, prefix) && plain.MatchString(id) && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
			if id > prefix && !strings.HasPrefix(id, prefix) || len(ids) == maxCompletions {
				return 0, "", nil
			}
		}
		return len(list.GetSkills()), list.GetNextPageToken(), nil
	})
	return ids, err
}

// requirementIDs looks among those of the task that is named before.
func requirementIDs(ctx context.Context, s *session, args []string, prefix string) (ids []cobra.Completion, err error) {
	if len(args) == 0 {
		return nil, nil
	}
	check, err := s.check(ctx, args[0], "")
	for _, r := range check.GetRequirements() {
		if id := r.GetId(); strings.HasPrefix(id, prefix) && plain.MatchString(id) {
			ids = append(ids, cobra.CompletionWithDesc(id, r.GetVerdict()))
		}
	}
	return ids, err
}

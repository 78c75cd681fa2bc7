package cli

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/quorate/quorate/platform/fault"
)

const applyHelp = `Bring agents to the state that files describe: create them, replace what differs, and leave the others alone. It can be
repeated at any time. What is refused does not stop the others, and makes the command fail.

PATH is a file, a folder (with its subfolders: *.yaml, *.yml, *.json and *.jsonl), or - for stdin. Each YAML document or JSON
value is one agent: cardUri (its URL), card, or cardJson (its text, kept byte for byte), and with them name and metadata; or it
is a card and nothing else. Without metadata an agent keeps what it has. "quorate agents export" writes such documents.`

func (a *app) agentsApply() *cobra.Command {
	p := &applier{app: a, outcomes: make(map[string]int), from: make(map[string]string)}
	cmd := &cobra.Command{
		Use:     "apply PATH...",
		Aliases: []string{"import"},
		Short:   "Create or replace agents as files or folders say; - reads stdin",
		Long:    applyHelp,
		Example: "  quorate agents apply agents/ --validate-only\n" +
			"  quorate agents apply agents/ --prune 'tags:payments'\n" +
			"  quorate agents export | quorate agents apply - --server https://other.example",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("takes the files or folders with the agents, or - for stdin")
			}
			return nil
		},
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			p.session = s
			return p.run(ctx, args)
		}),
	}
	flags := cmd.Flags()
	flags.BoolVar(&p.check, "validate-only", false, "check everything without writing, and show what would change")
	flags.StringVar(&p.prune, "prune", "", "delete the agents that match this filter and are not in PATH, such as tags:payments or name:*; not if any was refused.\n"+
		"Agents from the server's own sources stay")
	flags.BoolVarP(&p.yes, "yes", "y", false, "do not ask before --prune deletes; without a terminal nothing is asked")
	return cmd
}

// applier applies agents one by one.
type applier struct {
	*app
	session    *session
	check, yes bool
	prune      string // a filter; empty deletes nothing

	outcomes map[string]int
	refused  int
	from     map[string]string // where each agent was described, by name
	waiting  []described       // for agents that they name in their rules
}

// described is an agent that waits for another one.
type described struct {
	at       string
	document []byte
	err      error // why
}

func (p *applier) run(ctx context.Context, paths []string) error {
	files, err := filesIn(paths)
	if err != nil {
		return err
	}
	if p.prune != "" { // a filter that is wrong should not be found out last
		if _, err := p.others(ctx); err != nil {
			return err
		}
	}
	for _, file := range files {
		if err := p.file(ctx, file); err != nil {
			return err
		}
	}
	if err := p.wait(ctx); err != nil {
		return err
	}
	switch {
	case len(p.from) == 0 && p.refused == 0: // such as the empty output of a program that failed
		return fault.New(fault.InvalidArgument, "INPUT_INVALID", "there is no agent in the input")
	case p.prune == "":
	case p.refused > 0:
		p.err.line("nothing is deleted, since not every agent could be applied")
	default:
		if err := p.pruneOthers(ctx); err != nil {
			return err
		}
	}
	return p.done()
}

// file applies the agents in a file. It returns an error only if there is no point in going on.
func (p *applier) file(ctx context.Context, name string) error {
	from, end, err := p.openInput(name)
	if err != nil {
		return err
	}
	defer end()
	for at, document := range documents(name, from) {
		err := document.err
		if err == nil && ctx.Err() == nil { // otherwise the document may be incomplete
			err = p.apply(ctx, at, document.json)
		}
		if err := p.result(ctx, described{at, document.json, err}); err != nil {
			return err
		}
	}
	return nil
}

// result takes note of an agent that could not be applied. It returns an error only if there is no point in going on.
func (p *applier) result(ctx context.Context, d described) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.ReasonOf(d.err) == "SERVER_UNREACHABLE" || fault.KindOf(d.err) == fault.Unauthenticated:
		return d.err
	case fault.ReasonOf(d.err) == "TARGET_AGENT_UNKNOWN":
		p.waiting = append(p.waiting, d)
	case d.err != nil:
		p.refuse(d)
	}
	return nil
}

func (p *applier) refuse(d described) {
	p.err.line("%s: %s", d.at, oneLine(d.err.Error()))
	if e, ok := errors.AsType[*fault.Error](d.err); ok && len(e.Violations) > 1 { // one is in the message
		p.violations(e)
	}
	p.refused++
}

// done prints a summary. Refused documents make the command fail.
func (p *applier) done() error {
	deleted := ""
	if p.prune != "" {
		deleted = ", deleted " + strconv.Itoa(p.outcomes["deleted"])
	}
	p.err.line("created %d, replaced %d, unchanged %d%s, refused %d", p.outcomes["created"], p.outcomes["replaced"], p.outcomes["unchanged"], deleted, p.refused)
	if p.check {
		p.err.line("nothing was written")
	}
	if p.refused == 0 {
		return nil
	}
	return &resultError{code: exitInvalid}
}

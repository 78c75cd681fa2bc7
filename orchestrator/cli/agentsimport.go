package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/quorate/quorate/platform/fault"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const (
	maxImportLine  = 2 << 20 // bytes; a card has at most 256 KiB, and metadata adds as much or more
	maxImportLines = 1_000_000
)

func (a *app) agentsImport() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Create or replace agents from JSON lines; - reads stdin",
		Long: "Create or replace agents from JSON lines, as export writes them; - reads stdin. Agents that need no change are\n" +
			"left alone, so that an import can be repeated. A line that is refused does not stop the others.",
		Example: "  quorate agents import agents.jsonl --validate-only\n  quorate agents export | quorate agents import - --server https://other.example",
		Args:    arguments("FILE"),
		RunE: a.calls(func(ctx context.Context, s *session, args []string) error {
			from := a.input
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("reading the input: %w", err)
				}
				defer file.Close() //nolint:errcheck // it was only read
				from = file
			}
			return (&importer{app: a, session: s, check: check, outcomes: make(map[string]int)}).run(ctx, from)
		}),
	}
	cmd.Flags().BoolVar(&check, "validate-only", false, "check everything without writing")
	return cmd
}

// importer applies agents line by line.
type importer struct {
	*app
	session  *session
	check    bool
	outcomes map[string]int
	refused  int
}

func (i *importer) run(ctx context.Context, from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxImportLine)
	n := 0
	for lines.Scan() {
		if ctx.Err() != nil { // the line may be incomplete
			return ctx.Err()
		}
		if n++; n > maxImportLines {
			return fault.New(fault.InvalidArgument, "INPUT_TOO_LARGE", "there are more than %d lines", maxImportLines)
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := i.line(ctx, lines.Bytes()); err != nil {
			if ctx.Err() != nil || fault.ReasonOf(err) == "SERVER_UNREACHABLE" || fault.KindOf(err) == fault.Unauthenticated {
				return err
			}
			i.err.line("line %d: %s", n, err)
			i.refused++
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return fault.New(fault.InvalidArgument, "INPUT_TOO_LARGE", "line %d is longer than %d bytes", n+1, maxImportLine)
		}
		return fmt.Errorf("reading the input: %w", err)
	}
	return i.done()
}

// line applies one agent.
func (i *importer) line(ctx context.Context, line []byte) error {
	request := &registryv1.ApplyAgentRequest{}
	if err := protojson.Unmarshal(line, request); err != nil {
		text := strings.TrimLeft(strings.TrimPrefix(err.Error(), "proto:"), " \u00a0") // protojson varies the space
		return fault.New(fault.InvalidArgument, "INPUT_INVALID", "%s", text)
	}
	request.RequestId, request.ValidateOnly = requestID(request.GetRequestId()), i.check
	response := &registryv1.ApplyAgentResponse{}
	if err := i.session.postOnce(ctx, "/v1/agents:apply", request, response); err != nil {
		return err
	}
	i.outcomes[response.GetOutcome()]++
	name := response.GetAgent().GetName()
	for _, w := range response.GetWarnings() {
		i.err.line("warning: %s: %s: %s (%s)", name, w.GetField(), w.GetMessage(), w.GetCode())
	}
	if i.json {
		return i.jsonLine(response)
	}
	i.out.line("%s %s", response.GetOutcome(), name)
	return nil
}

// done prints a summary. Refused lines make the command fail.
func (i *importer) done() error {
	i.err.line("created %d, replaced %d, unchanged %d, refused %d", i.outcomes["created"], i.outcomes["replaced"], i.outcomes["unchanged"], i.refused)
	if i.check {
		i.err.line("nothing was written")
	}
	if i.refused == 0 {
		return nil
	}
	return &resultError{code: exitInvalid}
}

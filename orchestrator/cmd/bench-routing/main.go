// Command bench-routing scores routing by text on a folder of labelled texts.
//
//	bench-routing [-words] [-false-refusal 0.05] DIR
//
// DIR contains skills.json, train.jsonl and test.jsonl:
//
//	skills.json   a list of {"agent", "id", "name", "description", "tags": [], "examples": [], "inputs": [], "outputs": []}; all but id may be left
//	              out; without agent each skill is an agent of its own
//	train.jsonl   optional; a line for each example: {"text", "skill"}, with "agent" where ids are not unique
//	test.jsonl    a line for each text: {"text", "skill"} or, where several are right, {"text", "skills": []}; with neither, or with a skill of
//	              "oos", the text must be refused; lines of train.jsonl with a skill of "oos" are left out
//
// A folder with CLINC150's own data_full.json and domains.json can be used directly: each domain is an agent and each intent a skill; the train part
// has the examples, and the parts test and oos_test have the texts.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/quorate/quorate/orchestrator/router/text"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench-routing:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench-routing", flag.ContinueOnError)
	words := flags.Bool("words", false, "compare by shared words only, without training")
	refusal := flags.Float64("false-refusal", 0.05, "share of texts that fit and may be refused")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("one folder is needed, not %d", flags.NArg())
	}
	if *refusal <= 0 || *refusal >= 1 {
		return fmt.Errorf("-false-refusal is a share above 0 and below 1, not %v", *refusal)
	}
	set, err := read(flags.Arg(0))
	if err != nil {
		return err
	}
	begin := time.Now()
	index := text.New(set.skills, text.Options{FalseRefusal: *refusal, Untrained: *words})
	built := time.Since(begin)
	r := measure(index, set.tests, *refusal)
	_, err = fmt.Fprintf(out, `skills        %d of %d agents, %d examples; built in %s
texts         %d that fit, %d that do not; %s each, p99 %s
skill R@1     %s
skill R@5     %s
skill NDCG@5  %s
agent R@1     %s
refusal       recall %s at %s false refusals (the limit of the index)
              recall %s at %.4f false refusals (the limit set on these texts)
refusal AUROC %s
%s`, len(set.skills), set.agents(), set.examples(), built.Round(time.Millisecond), r.fit, r.unfit, r.median, r.p99,
		share(r.r1), share(r.r5), share(r.ndcg5), share(r.agent1), share(r.recall), share(r.falseRefusals), share(r.recallAt), *refusal, share(r.auroc), r.lacks())
	return err
}

// share formats a share, unless nothing shows it.
func share(v float64) string {
	if math.IsNaN(v) {
		return "n/a"
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// lacks says why a result is incomplete.
func (r *result) lacks() string {
	switch {
	case r.fit == 0:
		return "n/a: no text fits a skill; a line of test.jsonl names what is right as \"skill\" or \"skills\"\n"
	case r.unfit == 0:
		return "n/a: every text fits a skill; those that must be refused name none, or \"oos\"\n"
	default:
		return ""
	}
}

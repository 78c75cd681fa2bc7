package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is the error of an invalid command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{text: fmt.Sprintf(format, args...)} }

// arguments requires one argument for each name. An argument that is empty or a relative path element is invalid.
func arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != len(names) {
			takes := map[int]string{0: "no arguments", 1: "the argument "}[len(names)]
			return usage("takes %s, got %d", cmp.Or(takes, "the arguments ")+strings.Join(names, " "), len(args))
		}
		for i, arg := range args {
			if step(arg) {
				return usage("%q is no %s", arg, names[i])
			}
		}
		return nil
	}
}

// step reports whether text would change the meaning of a URL path.
func step(text string) bool { return text == "" || text == "." || text == ".." }

// flagError says what a flag takes, or suggests the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if errors.Is(err, errGivenTwice) {
			return usage("--%s is given twice", wrong.GetFlag().Name)
		}
		if form := valueForms[wrong.GetFlag().Value.Type()]; form != "" {
			return usage("--%s takes %s, not %q", wrong.GetFlag().Name, form, wrong.GetValue())
		}
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usage("%s", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return usage("%s%s", err, didYouMean(unknown.GetSpecifiedName(), names, "--"))
}

// valueForms are what flags take, by their type. What Go says of other values names its functions.
var valueForms = map[string]string{
	"bool": "true or false", "int": "a number", "int32": "a number", "int64": "a number", "duration": "a duration such as 90s or 10m",
	"name": "the name of a file", "format": "table or json", "string": "a text that is not empty",
}

// flagGroup matches what cobra says about flags that need or exclude one another.
var flagGroup = regexp.MustCompile(`^(?:at least one of the flags in the group \[(.+)\] is required|if any flags in the group .* \[(.+)\] were all set|required flag\(s\) (.+) not set)$`)

// plainly rewords what cobra says about groups of flags.
func plainly(text string) string {
	found := flagGroup.FindStringSubmatch(text)
	switch {
	case found == nil:
		return text
	case found[1] != "":
		return "give one of " + flagNames(strings.Fields(found[1]))
	case found[2] != "":
		return flagNames(strings.Fields(found[2])) + " cannot be given together"
	default:
		missing := strings.Split(strings.ReplaceAll(found[3], `"`, ""), ", ")
		return flagNames(missing) + choose(len(missing) == 1, " is missing", " are missing")
	}
}

func flagNames(names []string) string { return "--" + strings.Join(names, ", --") }

func verbs(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// didYouMean returns "; did you mean X?" for the candidates that are similar to name. Cobra compares names of commands only, so it makes commands of
// the candidates.
func didYouMean(name string, candidates []string, prefix string) string {
	near := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, candidate := range candidates {
		near.AddCommand(&cobra.Command{Use: candidate, Run: func(*cobra.Command, []string) {}})
	}
	found := near.SuggestionsFor(name)
	if len(found) == 0 {
		return ""
	}
	return "; did you mean " + prefix + strings.Join(found, " or "+prefix) + "?"
}

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a command line that says nothing we could do.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{text: fmt.Sprintf(format, args...)} }

// arguments demands one argument for each name. An argument that is empty or a step in a path names nothing.
func arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usage("takes %s, got %d", choose(len(names) > 0, "the argument "+strings.Join(names, " "), "no arguments"), len(args))
		}
		for i, arg := range args {
			if step(arg) {
				return usage("%q is no %s", arg, names[i])
			}
		}
		return nil
	}
}

// step reports whether text in a path leads elsewhere than to what is called so.
func step(text string) bool { return text == "" || text == "." || text == ".." }

// flagError names the flag that was perhaps meant.
func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usage("%s", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return usage("%s%s", err, didYouMean(unknown.GetSpecifiedName(), names, "--"))
}

func verbs(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// didYouMean returns "; did you mean X?" for the candidates that are near to name. Cobra compares names of commands only,
// so the candidates become some.
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

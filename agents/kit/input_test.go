package kit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
)

func TestAHandlerFindsItsInputs(t *testing.T) {
	t.Parallel()
	named := func(part *a2a.Part, input string) *a2a.Part {
		part.Metadata = map[string]any{"input": input}
		return part
	}
	file := a2a.NewTextPart("in a file")
	file.Filename = "words"
	tests := map[string]struct {
		parts []*a2a.Part
		want  string
	}{
		"named by metadata":       {[]*a2a.Part{a2a.NewTextPart("shout"), named(a2a.NewTextPart("hello"), "words"), named(a2a.NewTextPart("low"), "volume")}, "hello"},
		"of several parts":        {[]*a2a.Part{named(a2a.NewTextPart("a"), "words"), named(a2a.NewTextPart("b"), "words")}, "a b"},
		"named by its filename":   {[]*a2a.Part{file}, "in a file"},
		"a text in a data part":   {[]*a2a.Part{a2a.NewDataPart(map[string]any{"words": "hello", "volume": 1})}, "hello"},
		"a number in a data part": {[]*a2a.Part{a2a.NewDataPart(map[string]any{"words": 11})}, "11"},
		"a part before a field":   {[]*a2a.Part{a2a.NewDataPart(map[string]any{"words": "no"}), named(a2a.NewTextPart("yes"), "words")}, "yes"},
		"not there":               {[]*a2a.Part{a2a.NewTextPart("words"), a2a.NewDataPart(map[string]any{"volume": 1})}, ""},
		"null in a data part":     {[]*a2a.Part{a2a.NewDataPart(map[string]any{"words": nil})}, ""},
	}
	agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, task *kit.Task) error {
		var found []string
		for _, part := range task.Input("words") {
			if data, ok := part.Content.(a2a.Data); ok {
				found = append(found, fmt.Sprint(data.Value))
			} else {
				found = append(found, part.Text())
			}
		}
		return task.AddArtifact(ctx, kit.Artifact{Text: strings.Join(found, " ")})
	}})
	for _, binding := range bindings {
		c := client(t, agent, binding)
		for name, test := range tests {
			task := send(t, c, a2a.NewMessage(a2a.MessageRoleUser, test.parts...))
			if got := task.Artifacts[0].Parts[0].Text(); got != test.want {
				t.Errorf("over %s, an input %s = %q, want %q", binding, name, got, test.want)
			}
		}
	}
}

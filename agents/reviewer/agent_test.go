package reviewer_test

import (
	"encoding/json"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/agents/reviewer"
)

func TestThePlainTaskAnswersWithTheVerdict(t *testing.T) {
	t.Parallel()
	c := kittest.Run(t, reviewer.Config())
	data := map[string]any{}
	if err := json.Unmarshal([]byte(`{"db":{"password":"correcthorse"}}`), &data); err != nil {
		t.Fatalf("Unmarshal() = %v, want nil", err)
	}
	named := a2a.NewTextPart("hello")
	named.Filename, named.MediaType = "password=correcthorse.txt", "text/plain; token="+random
	tests := map[string]struct {
		parts []*a2a.Part
		want  string
	}{
		"text":                       {[]*a2a.Part{a2a.NewTextPart("hello")}, "approved: no rule objects"},
		"a name without content":     {[]*a2a.Part{a2a.NewTextPart(""), a2a.NewDataPart(map[string]any{"artifact": map[string]any{"name": "page.md"}})}, "rejected: empty: there is nothing to review"},
		"blank text":                 {[]*a2a.Part{a2a.NewTextPart(" "), a2a.NewTextPart("\n")}, "rejected: empty: there is nothing to review"},
		"a secret in the second one": {[]*a2a.Part{a2a.NewTextPart("hello"), a2a.NewTextPart("\npassword=correcthorse")}, "rejected: password-assignment: part 2, line 2 holds a password"},
		"a secret in pieces": {
			[]*a2a.Part{a2a.NewTextPart("so\npass"), a2a.NewTextPart("word=correct"), a2a.NewRawPart([]byte("horse\n"))}, "rejected: password-assignment: parts 1 to 3, line 2 holds a password",
		},
		"pieces with something between": {
			[]*a2a.Part{a2a.NewTextPart("password="), a2a.NewDataPart(map[string]any{"artifact": map[string]any{}}), a2a.NewTextPart("correcthorse")}, "approved: no rule objects",
		},
		"a secret in one of several pieces": {
			[]*a2a.Part{a2a.NewTextPart("a "), a2a.NewTextPart("password=correcthorse")}, "rejected: password-assignment: part 2, line 1 holds a password",
		},
		"text in raw bytes":      {[]*a2a.Part{a2a.NewRawPart([]byte("password=correcthorse"))}, "rejected: password-assignment: line 1 holds a password"},
		"a secret in data":       {[]*a2a.Part{a2a.NewDataPart(data)}, "rejected: password-assignment: line 3 holds a password"},
		"secrets beside a text":  {[]*a2a.Part{named}, "rejected: password-assignment: file name, line 1 holds a password; high-entropy-assignment: media type, line 1 holds what looks like a key or token"},
		"binary content":         {[]*a2a.Part{a2a.NewRawPart([]byte{0xff, 0xd8, 0})}, "rejected: unreadable: part 1 is not text"},
		"text with a zero byte":  {[]*a2a.Part{a2a.NewRawPart([]byte("a\x00b"))}, "rejected: unreadable: part 1 is not text"},
		"text that is not UTF-8": {[]*a2a.Part{a2a.NewRawPart([]byte("a\xffb"))}, "rejected: unreadable: part 1 is not text"},
		"a link":                 {[]*a2a.Part{a2a.NewTextPart("see"), a2a.NewFileURLPart("https://example.com/a", "")}, "rejected: unreadable: part 2 is not text"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, test.parts...)})
			if err != nil {
				t.Fatalf("SendMessage() = %v, want a task", err)
			}
			task, ok := result.(*a2a.Task)
			if !ok || len(task.Artifacts) != 1 || task.Artifacts[0].Parts[0].Text() != test.want {
				t.Errorf("SendMessage() = %v, want the artifact %q", result, test.want)
			}
		})
	}
}

package kit_test

import (
	"context"
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
)

func TestAHandlerAsksItsCaller(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, task *kit.Task) error {
		reply, err := task.Ask(ctx, a2a.NewTextPart("which size \xff?"), a2a.NewDataPart(map[string][]string{"sizes": {"s", "m"}}))
		if err != nil {
			return err
		}
		return task.AddArtifact(ctx, kit.Artifact{Name: "order", Text: task.Text() + " in " + reply.Parts[0].Text()})
	}})
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			c := client(t, agent, binding)
			asked := send(t, c, say("a shirt"))
			if asked.Status.State != a2a.TaskStateInputRequired || statusText(asked) != "which size \uFFFD?" || len(asked.Status.Message.Parts) != 2 {
				t.Fatalf("SendMessage() = %v, want the question", asked.Status)
			}
			reply := say("m")
			reply.TaskID, reply.ContextID = asked.ID, asked.ContextID
			var got []string
			for event, err := range c.SendStreamingMessage(t.Context(), request(reply)) {
				if err != nil {
					t.Fatalf("SendStreamingMessage(reply) yields %v, want events", err)
				}
				got = append(got, describe(event))
			}
			if want := []string{"task", "artifact a shirt in m", "TASK_STATE_COMPLETED "}; !slices.Equal(got, want) {
				t.Errorf("SendStreamingMessage(reply) = %q, want %q", got, want)
			}
		})
	}
}

func TestAStreamEndsWithAQuestion(t *testing.T) {
	t.Parallel()
	agent, _ := start(t, kit.Config{Handler: func(ctx context.Context, task *kit.Task) error {
		_, err := task.Ask(ctx, a2a.NewTextPart("who are you?"))
		return err
	}})
	for _, binding := range bindings {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			var got []string
			for event, err := range client(t, agent, binding).SendStreamingMessage(t.Context(), request(say("hi"))) {
				if err != nil {
					t.Fatalf("SendStreamingMessage() yields %v, want events", err)
				}
				got = append(got, describe(event))
			}
			if want := []string{"task", "TASK_STATE_WORKING ", "TASK_STATE_INPUT_REQUIRED who are you?"}; !slices.Equal(got, want) {
				t.Errorf("SendStreamingMessage() = %q, want %q", got, want)
			}
		})
	}
}

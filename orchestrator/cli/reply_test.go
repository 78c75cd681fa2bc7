package cli_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAReplyIsSentAndItsTaskFollowed(t *testing.T) {
	t.Parallel()
	const asks = `"id":"t1","phase":"execution","agent":"web-fetch","statusMessage":{"role":"ROLE_AGENT","parts":[{"text":"Which one?"}]}`
	for name, test := range map[string]struct{ task, says string }{
		"the agent asks on":         {`{` + asks + `,"state":"TASK_STATE_INPUT_REQUIRED"}`, "web-fetch says\nWhich one?\n"},
		"the agent wants a sign-in": {`{` + asks + `,"state":"TASK_STATE_AUTH_REQUIRED"}`, "web-fetch says\nWhich one?\n"},
		"the agent has a draft and asks on": {
			`{` + asks + `,"state":"TASK_STATE_INPUT_REQUIRED","artifacts":[{"artifactId":"a","parts":[{"text":"half"}]}]}`,
			"Artifact a\nhalf\n\nweb-fetch says\nWhich one?\n",
		},
		"one of several agents asks on": {
			`{` + asks + `,"state":"TASK_STATE_INPUT_REQUIRED","plan":{"mode":"any","needed":1,"waitingStep":2,"steps":[{"agent":"a"},{"agent":"b"}]}}`, "b says\nWhich one?\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, map[string][]http.HandlerFunc{
				"POST /v1/tasks/t1:reply": answer(`{"id":"t1","state":"TASK_STATE_WORKING"}`), "GET /v1/tasks/t1:watch": {stream(false, working, `{"task":`+test.task+`}`)},
			})
			args := []string{"tasks", "reply", "t1", "--text", "the second", "--request-id", "r1"}
			if exit, stdout, stderr := g.run(t, "", args...); exit != 0 || stdout != "t1  WORKING\n" || stderr != "follow it: quorate tasks watch t1\n" {
				t.Errorf("Main(tasks reply) = %d, %q, %q, want 0, the state, and how to follow it", exit, stdout, stderr)
			}
			want := map[string]any{"id": "t1", "requestId": "r1", "message": map[string]any{"role": "ROLE_USER", "parts": []any{map[string]any{"text": "the second"}}}}
			if diff := cmp.Diff(want, sent(t, g, 0)); diff != "" {
				t.Errorf("tasks reply sent (-want +got):\n%s", diff)
			}
			exit, stdout, stderr := g.run(t, "", append(args, "--watch")...)
			if exit != 8 || !strings.HasSuffix(stdout, test.says) || stderr != "the agent waits for its caller: quorate tasks reply t1 --text …\n" {
				t.Errorf("Main(tasks reply --watch) = %d, %q, %q, want 8, %q and how to answer", exit, stdout, stderr, test.says)
			}
			if last := g.seen()[2]; last != "GET /v1/tasks/t1:watch?after_sequence=0" {
				t.Errorf("tasks reply --watch asked for %s, want the events up to where the task waits", last)
			}
		})
	}
}

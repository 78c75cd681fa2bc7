package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// register registers an agent that nobody runs. Its card and metadata are JSON.
func (i *instance) register(name, skills, metadata string) {
	i.t.Helper()
	card := fmt.Sprintf(`{"name":%q,"description":"d","version":"1.0.0","capabilities":{},"skills":[%s],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"supportedInterfaces":[{"url":"http://127.0.0.1:9","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, name, skills)
	if code, m := i.rest("POST", "/v1/agents:register", fmt.Sprintf(`{"card":%s,"metadata":%s}`, card, metadata)); code != http.StatusOK {
		i.t.Fatalf("register %s = %d %v", name, code, m)
	}
	if code, m := i.rest("POST", "/v1/agents/"+name+":heartbeat", `{"status":"available"}`); code != http.StatusOK {
		i.t.Fatalf("heartbeat of %s = %d %v", name, code, m)
	}
}

const typedMetadata = `{"input_schemas":[{"name":"spec","semantic_type":"document","required":true,
	"validation_rules":[{"type":"length","value":12,"message":"Keep the spec short."}]}],
	"output_schemas":[{"name":"code","semantic_type":"artifact","guaranteed":true}]}`

func TestARouteIsExplainedWithoutBeingTaken(t *testing.T) {
	q := start(t, t.TempDir())
	q.register("coder", `{"id":"write_code","name":"Write code","description":"Writes programs","tags":["code"]}`, typedMetadata)
	tests := map[string]struct{ body, chosen, refused string }{
		"an agent":                {`{"route":{"agent":"web-fetch"}}`, "web-fetch", ""},
		"a skill":                 {`{"route":{"skill":"write_code"}}`, "coder", ""},
		"a contract":              {`{"route":{"contract":{"inputs":[{"semanticType":"document"}],"output":{"semanticType":"artifact"}}}}`, "coder", ""},
		"a text":                  {`{"route":{"text":"read a web page and give me its content as markdown"}}`, "web-fetch", ""},
		"a text like nothing":     {`{"route":{"text":"compose a symphony for four violins"}}`, "", "no agent does what the text asks for"},
		"nobody of that name":     {`{"route":{"agent":"nobody"}}`, "", "nobody"},
		"nobody with the skill":   {`{"route":{"skill":"juggle"}}`, "", "juggle"},
		"an input breaks a rule":  {`{"route":{"agent":"coder"},"inputs":[{"name":"spec","value":"far too long a spec"}]}`, "", "Keep the spec short."},
		"inputs that are as said": {`{"route":{"agent":"coder"},"inputs":[{"name":"spec","value":"short"}]}`, "coder", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, got := q.rest("POST", "/v1/routes:resolve", tt.body)
			chosen, _ := got["chosen"].(string)
			refused, _ := got["refused"].(string)
			if code != http.StatusOK || chosen != tt.chosen || (refused == "") != (tt.refused == "") || !strings.Contains(refused, tt.refused) {
				t.Errorf("POST /v1/routes:resolve %s = %d %v, want chosen %q, refused %q", tt.body, code, got, tt.chosen, tt.refused)
			}
		})
	}
	if tasks := list(q.document(0, "tasks", "list")["tasks"]); len(tasks) != 0 {
		t.Errorf("dry runs left %d tasks", len(tasks))
	}
}

func TestSeveralAgentsDoATask(t *testing.T) {
	q := start(t, t.TempDir())
	const port = `[{"name":"%s","semantic_type":"%s","required":true}]`
	made := func(name, kind string) string {
		return fmt.Sprintf(`"output_schemas":[{"name":%q,"semantic_type":%q,"guaranteed":true}]`, name, kind)
	}
	q.register("analyst", "", `{"input_schemas":`+fmt.Sprintf(port, "idea", "comment")+`,`+made("stories", "reference")+`}`)
	q.register("coder", "", `{"input_schemas":`+fmt.Sprintf(port, "stories", "reference")+`,`+made("site", "collection")+`}`)
	code, got := q.rest("POST", "/v1/routes:resolve", `{"route":{"contract":{"inputs":[{"semanticType":"comment"}],"output":{"semanticType":"collection"}}}}`)
	if links := list(got["chain"]); code != http.StatusOK || len(links) != 2 || got["refused"] != nil && got["refused"] != "" {
		t.Errorf("POST /v1/routes:resolve for what no agent makes alone = %d %v, want a chain of two", code, got)
	}
	q.register("dead", `{"id":"fetch_url","name":"Fetch","description":"Fetches","tags":["web"]}`, `{}`)
	code, got = q.rest("POST", "/v1/routes:resolve", `{"route":{"skill":"fetch_url","fanOut":{"mode":"k_of_n","k":3}}}`)
	if refused, _ := got["refused"].(string); code != http.StatusOK || !strings.Contains(refused, "3 agents have to complete the task and 2 can take it") {
		t.Errorf("POST /v1/routes:resolve for three of two agents = %d %v, want it refused", code, got)
	}
	task := q.document(0, "tasks", "submit", "--skill", "fetch_url", "--fan-out", "any", "--text", "Fetch "+q.ports.DemoSite+"/article", "--watch")
	if text := fmt.Sprint(task); !strings.Contains(text, "web-fetch/") || !strings.Contains(text, "TASK_STATE_COMPLETED") {
		t.Errorf("tasks submit --fan-out any = %v, want what web-fetch made", task)
	}
}

func TestInputsAreCheckedBeforeATaskIsAccepted(t *testing.T) {
	q := start(t, t.TempDir())
	q.register("coder", "", typedMetadata)
	submit := func(inputs string) (int, string) {
		code, m := q.rest("POST", "/v1/tasks", `{"message":{"parts":[{"text":"do it"}]},"route":{"agent":"coder"},"inputs":[`+inputs+`]}`)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return code, string(b)
	}
	for inputs, says := range map[string][]string{
		"": {"INPUT_MISSING", "spec"},
		`{"name":"spec","value":"far too long"},{"name":"spec","value":"x"}`: {"INPUT_NAME"},
		`{"name":"spec","value":"far too long a spec"}`:                      {"INPUT_INVALID", `inputs[\"spec\"]`, "Keep the spec short."},
	} {
		code, body := submit(inputs)
		for _, want := range says {
			if code != http.StatusBadRequest || !strings.Contains(body, want) {
				t.Errorf("POST /v1/tasks with inputs %s = %d %s, want 400 and %q", inputs, code, body, want)
			}
		}
	}
	if tasks := list(q.document(0, "tasks", "list")["tasks"]); len(tasks) != 0 {
		t.Errorf("the refused tasks left %d", len(tasks))
	}
	if code, body := submit(`{"name":"spec","value":"short"}`); code != http.StatusOK || !strings.Contains(body, `{"metadata":{"input":"spec"},"text":"short"}`) {
		t.Errorf("POST /v1/tasks with the input = %d %s, want it accepted and the input in the message", code, body)
	}
}

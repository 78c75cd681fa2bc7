package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func TestTheBuiltInAgentsAreFoundByTheirCards(t *testing.T) {
	q := start(t, t.TempDir())
	table := q.ok(0, "agents", "list")
	agents := q.document(0, "agents", "list")["agents"].([]any)
	if len(agents) != 2 {
		t.Fatalf("agents list has %d agents, want 2:\n%s", len(agents), table)
	}
	for _, a := range agents {
		agent := a.(map[string]any)
		name := agent["name"].(string)
		if status := agent["status"].(map[string]any)["status"]; status != "available" || !strings.Contains(table, name) {
			t.Errorf("agent %s is %v, want available and in the table:\n%s", name, status, table)
		}
		if uri, _ := agent["cardUri"].(string); !strings.HasSuffix(uri, "/.well-known/agent-card.json") {
			t.Errorf("agent %s was registered from %q, want a well-known card", name, uri)
		}
	}
	uri := agents[1].(map[string]any)["cardUri"].(string)
	code, card, header := q.http("GET", "/v1/agents/web-fetch/card", nil, q.token())
	if served := get(t, uri); code != 200 || string(card) != served || header.Get("Content-Type") != "application/json" {
		t.Errorf("GET …/card = %d %s, want the card byte for byte as the agent serves it:\n%s", code, card, served)
	}
	if found := q.ok(0, "skills", "find", "fetch_url"); !strings.Contains(found, "web-fetch") {
		t.Errorf("skills find fetch_url = %q, want web-fetch", found)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := new(http.Client).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAPageIsFetchedOverEveryDoor(t *testing.T) {
	q := start(t, t.TempDir())
	text := "Fetch " + q.ports.DemoSite + "/article"
	for name, route := range map[string][]string{"by agent": {"--agent", "web-fetch"}, "by skill": {"--skill", "fetch_url"}} {
		t.Run("CLI "+name, func(t *testing.T) {
			args := append([]string{"tasks", "submit", "--text", text, "--watch"}, route...)
			task := q.document(0, args...)
			if wantArticle(t, task); remoteID(task) == "" {
				t.Errorf("the task shows no id of the agent's: %v", task["attempts"])
			}
			if human := q.ok(0, args...); !strings.Contains(human, "# How a quorum decides") {
				t.Errorf("the terminal shows no Markdown:\n%s", human)
			}
		})
	}
	t.Run("REST", func(t *testing.T) {
		code, task := q.rest("POST", "/v1/tasks", fmt.Sprintf(`{"message":{"parts":[{"text":%q}]},"route":{"skill":"fetch_url"}}`, text))
		if code != 200 {
			t.Fatalf("POST /v1/tasks = %d %v", code, task)
		}
		q.until("the task has ended", func() bool {
			_, task = q.rest("GET", "/v1/tasks/"+task["id"].(string), "")
			return task["phase"] == "done"
		})
		wantArticle(t, task)
	})
	t.Run("gRPC", func(t *testing.T) { wantArticle(t, overGRPC(t, q, text)) })
}

// overGRPC submits a task and watches it to its end.
func overGRPC(t *testing.T, q *instance, text string) map[string]any {
	t.Helper()
	conn, err := grpc.NewClient(q.ports.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+q.token())
	c := orchestratorv1.NewTaskServiceClient(conn)
	task, err := c.SubmitTask(ctx, &orchestratorv1.SubmitTaskRequest{
		Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}}},
		Route:   &orchestratorv1.Route{To: &orchestratorv1.Route_Agent{Agent: "web-fetch"}},
	})
	if err != nil {
		t.Fatalf("SubmitTask() = %v", err)
	}
	stream, err := c.WatchTask(ctx, &orchestratorv1.WatchTaskRequest{Id: task.GetId()})
	if err != nil {
		t.Fatalf("WatchTask() = %v", err)
	}
	for {
		m, err := stream.Recv()
		if err != nil {
			t.Fatalf("WatchTask() ended with %v before the task did", err)
		}
		if task = m.GetTask(); task != nil {
			break
		}
	}
	return map[string]any{"state": task.GetState().String(), "artifacts": []any{map[string]any{
		"parts": []any{map[string]any{"text": task.GetArtifacts()[0].GetParts()[0].GetText()}},
	}}}
}

func wantArticle(t *testing.T, task map[string]any) {
	t.Helper()
	if task["state"] != "TASK_STATE_COMPLETED" {
		t.Fatalf("state = %v, want completed: %v", task["state"], task)
	}
	markdown := artifactText(task)
	for _, want := range []string{"# How a quorum decides", "## Three rules", "**enough of the right members**", "| 5", "return members/2 + 1"} {
		if !strings.Contains(markdown, want) {
			t.Errorf("the artifact has no %q:\n%s", want, markdown)
		}
	}
	for _, not := range []string{"never run", "max-width"} {
		if strings.Contains(markdown, not) {
			t.Errorf("the artifact has %q:\n%s", not, markdown)
		}
	}
}

// remoteID is the agent's own id of a task.
func remoteID(task map[string]any) string {
	attempt, _ := task["attempts"].([]any)[0].(map[string]any)
	id, _ := attempt["remoteTaskId"].(string)
	return id
}

func artifactText(task map[string]any) string {
	artifacts, _ := task["artifacts"].([]any)
	if len(artifacts) == 0 {
		return ""
	}
	text, _ := artifacts[0].(map[string]any)["parts"].([]any)[0].(map[string]any)["text"].(string)
	return text
}

func TestAGatedTaskWaitsForItsReview(t *testing.T) {
	q := start(t, t.TempDir())
	task := q.document(8, "tasks", "submit", "--agent", "web-fetch", "--text", "Fetch "+q.ports.DemoSite+"/article", "--attr", "handling_sensitive_data=true", "--watch")
	id := task["id"].(string)
	if task["state"] == "TASK_STATE_COMPLETED" || artifactText(task) != "" || task["withheldArtifacts"] != 1.0 {
		t.Fatalf("the blocked task shows %v, want it not completed and its artifact held back", task)
	}
	if remote := remoteID(task); remote != "" {
		t.Errorf("the blocked task shows the agent's id %q, by which the agent hands out the artifact", remote)
	}
	explained := q.ok(0, "tasks", "explain", id)
	for _, want := range []string{"sensitive-data-review", "reviewer", "pre-completion", "missing", "consultations request"} {
		if !strings.Contains(explained, want) {
			t.Errorf("tasks explain does not say %q:\n%s", want, explained)
		}
	}
	if check := q.document(8, "consultations", "check", id); check["allowed"] != false {
		t.Errorf("consultations check = %v, want allowed to be false", check)
	}
	q.ok(0, "consultations", "request", id, "--requirement", "sensitive-data-review", "--wait")
	task = q.document(0, "tasks", "watch", id)
	if wantArticle(t, task); remoteID(task) != "" {
		t.Errorf("the completed task shows the agent's id %q, which no reviewer saw", remoteID(task))
	}
	list := q.document(0, "consultations", "list", id)["consultations"].([]any)
	if c := list[0].(map[string]any); len(list) != 1 || c["outcome"] != "approved" || c["targetAgent"] != "reviewer" {
		t.Errorf("consultations list = %v, want one approval by reviewer", list)
	} else if remote := remoteID(q.document(0, "tasks", "get", c["carrierTaskId"].(string))); remote != "" {
		t.Errorf("the task that carries the consultation shows the reviewer's id %q, by which it hands out what it reviewed", remote)
	}
	evidence := fmt.Sprint(q.document(0, "consultations", "check", id))
	for _, want := range []string{"recorder:reviewer", "level:C2", "outcome:approved"} {
		if !strings.Contains(evidence, want) {
			t.Errorf("consultations check shows no %q: %s", want, evidence)
		}
	}
}

func TestARejectionBlocksWithTheReviewersFeedback(t *testing.T) {
	q := start(t, t.TempDir())
	task := q.document(8, "tasks", "submit", "--agent", "web-fetch", "--text", "Fetch "+q.ports.DemoSite+"/notes", "--attr", "handling_sensitive_data=true", "--watch")
	id := task["id"].(string)
	consultation := q.document(8, "consultations", "request", id, "--requirement", "sensitive-data-review", "--wait")
	feedback, _ := consultation["feedback"].(string)
	if consultation["outcome"] != "rejected" || feedback == "" || strings.Contains(feedback, "correct-horse") {
		t.Fatalf("the consultation is %v, want rejected with feedback that does not repeat the secret", consultation)
	}
	var explained string
	q.until("the task is blocked by the rejection", func() bool {
		explained = q.ok(0, "tasks", "explain", id)
		return strings.Contains(explained, "rejected") && strings.Contains(explained, feedback)
	})
	if everything := q.ok(0, "tasks", "get", id, "-o", "json"); strings.Contains(everything, "correct-horse") {
		t.Errorf("the held-back secret is in the task:\n%s", everything)
	}
	carrier := q.ok(0, "tasks", "get", consultation["carrierTaskId"].(string), "-o", "json")
	if strings.Contains(carrier, "correct-horse") {
		t.Errorf("the held-back secret is in the task that carried the consultation:\n%s", carrier)
	}
}

func TestTheWatchIsJSONLinesThatEndWithTheTask(t *testing.T) {
	q := start(t, t.TempDir())
	out := q.ok(0, "tasks", "submit", "--agent", "web-fetch", "--text", "Fetch "+q.ports.DemoSite+"/article", "--watch", "-o", "json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for n, line := range lines {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("line %d is no JSON: %v\n%s", n+1, err, line)
		}
		if last := n == len(lines)-1; last != (m["id"] != nil) || !last && m["sequence"] != strconv.Itoa(n+1) {
			t.Errorf("line %d is %s, want events numbered from 1 and the task at the end", n+1, line)
		}
	}
}

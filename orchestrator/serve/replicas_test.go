package serve_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/quorate/quorate/agents/echo"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/orchestrator/serve"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

func TestMain(m *testing.M) { os.Exit(dynamotest.Main(m)) }

// replicated returns the configuration of a replica over new tables; each replica is started with a copy.
func replicated(t *testing.T) (serve.Config, auth.Secret) {
	t.Helper()
	c, admin := config(t)
	c.Store = serve.Store{
		Kind: "dynamodb", Endpoint: dynamotest.Endpoint(t), TablePrefix: dynamotest.Prefix(), Lease: 3 * time.Second,
		PageKeyFile: write(t, filepath.Join(t.TempDir(), "page.key"), strings.Repeat("0f", server.PageKeyBytes)),
	}
	c.Agents.AllowLoopback = true
	db, err := ddb.Open(t.Context(), ddb.Config{Endpoint: c.Store.Endpoint, TablePrefix: c.Store.TablePrefix})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if err := db.Apply(t.Context(), server.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	return c, admin
}

// startEcho runs an agent and returns what it counts, and the URL of its card.
func startEcho(t *testing.T) (*echo.Echo, string) {
	t.Helper()
	e := echo.New()
	return e, kittest.Start(t, e.Config()).CardURL()
}

// task is what the API says of a task.
type task struct {
	ID, State, Agent string
	Artifacts        []struct{ Parts []struct{ Text string } }
}

// ended waits for a task's end as one replica sees it.
func (p *process) ended(t *testing.T, admin auth.Secret, id string) (last task) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		code, body := call(t, new(http.Client), "GET", "http://"+p.addr+"/v1/tasks/"+id, admin, "")
		if err := json.Unmarshal([]byte(body), &last); code != http.StatusOK || err != nil {
			t.Fatalf("GET task %s = %d %s (%v), want 200", id, code, body, err)
		}
		switch last.State {
		case "TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED":
			return last
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("task %s is %s after %s, want its end; the replica said:\n%s", id, last.State, patience, p.log)
		}
	}
}

// submit has a replica accept a task.
func (p *process) submit(t *testing.T, admin auth.Secret, requestID, text string) string {
	t.Helper()
	body := fmt.Sprintf(`{"requestId":%q,"route":{"agent":"echo"},"message":{"parts":[{"text":%q}]}}`, requestID, text)
	code, answer := call(t, new(http.Client), "POST", "http://"+p.addr+"/v1/tasks", admin, body)
	var accepted task
	if err := json.Unmarshal([]byte(answer), &accepted); code != http.StatusOK || err != nil {
		t.Fatalf("POST task = %d %s (%v), want 200", code, answer, err)
	}
	return accepted.ID
}

func TestAnyReplicaAnswersAnyCall(t *testing.T) {
	t.Parallel()
	c, admin := replicated(t)
	replicas := []*process{start(t, c), start(t, c), start(t, c)}
	executed, card := startEcho(t)
	code, body := call(t, new(http.Client), "POST", "http://"+replicas[0].addr+"/v1/agents:register", admin, fmt.Sprintf(`{"cardUri":%q}`, card))
	if code != http.StatusOK {
		t.Fatalf("POST register = %d %s, want 200", code, body)
	}
	const tasks = 9
	for i := range tasks {
		text := fmt.Sprint("hello ", i)
		id := replicas[i%3].submit(t, admin, fmt.Sprint("r", i), text)
		if again := replicas[(i+1)%3].submit(t, admin, fmt.Sprint("r", i), text); again != id {
			t.Errorf("the same request to another replica makes task %s, want %s", again, id)
		}
		got := replicas[(i+2)%3].ended(t, admin, id)
		if got.State != "TASK_STATE_COMPLETED" || len(got.Artifacts) != 1 || got.Artifacts[0].Parts[0].Text != text {
			t.Errorf("task %s = %+v, want it completed with %q", id, got, text)
		}
	}
	counts := executed.Executions()
	if len(counts) != tasks {
		t.Errorf("the agent executed %d messages, want %d", len(counts), tasks)
	}
	for message, n := range counts {
		if n != 1 {
			t.Errorf("the agent executed %s %d times, want once", message, n)
		}
	}
	_, metrics := call(t, new(http.Client), "GET", "http://"+replicas[0].addr+"/metrics", "", "")
	for _, want := range []string{"\nquorate_lease_groups{", "\nquorate_clock_behind_seconds{", `db_client_operation_duration_seconds_count{db_operation_name="PutItem"`, `service_version="0.0.0"`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("GET /metrics has no %s", want)
		}
	}
	if _, list := call(t, new(http.Client), "GET", "http://"+replicas[1].addr+"/v1/tasks?pageSize=4", admin, ""); !crossPages(t, replicas[2], admin, list) {
		t.Errorf("a page token of one replica is none to another: %s", list)
	}
}

// crossPages reports whether another replica takes the page token of a list.
func crossPages(t *testing.T, other *process, admin auth.Secret, list string) bool {
	t.Helper()
	var page struct {
		Tasks         []task
		NextPageToken string
	}
	if err := json.Unmarshal([]byte(list), &page); err != nil || len(page.Tasks) != 4 || page.NextPageToken == "" {
		return false
	}
	code, body := call(t, new(http.Client), "GET", "http://"+other.addr+"/v1/tasks?pageSize=4&pageToken="+page.NextPageToken, admin, "")
	return code == http.StatusOK && !strings.Contains(body, page.Tasks[0].ID)
}

// A replica that is stopped hands its tasks over: the others need not wait for its leases to run out, and nothing is done twice.
func TestAReplicaThatStopsHandsItsWorkOver(t *testing.T) {
	t.Parallel()
	c, admin := replicated(t)
	c.Store.Lease = time.Minute // nobody could wait for that here
	leaving, staying := start(t, c), start(t, c)
	executed, card := startEcho(t)
	if code, body := call(t, new(http.Client), "POST", "http://"+leaving.addr+"/v1/agents:register", admin, fmt.Sprintf(`{"cardUri":%q}`, card)); code != http.StatusOK {
		t.Fatalf("POST register = %d %s, want 200", code, body)
	}
	var ids []string
	for i := range 5 {
		ids = append(ids, leaving.submit(t, admin, "", fmt.Sprint("sleep 1s hello ", i)))
	}
	if err := leaving.stop(); err != nil {
		t.Errorf("Run() = %v when it is stopped, want no error", err)
	}
	for _, id := range ids {
		if got := staying.ended(t, admin, id); got.State != "TASK_STATE_COMPLETED" {
			t.Errorf("task %s = %+v, want it completed by the other replica", id, got)
		}
	}
	for message, n := range executed.Executions() {
		if n != 1 {
			t.Errorf("the agent executed %s %d times, want once", message, n)
		}
	}
}

func TestReplicasNeedTheirTables(t *testing.T) {
	t.Parallel()
	c, _ := replicated(t)
	c.Store.TablePrefix = "nowhere-"
	if err := startError(t, c); err == nil || !strings.Contains(err.Error(), "quorate tables apply") {
		t.Errorf("Run() = %v, want what to do about missing tables", err)
	}
}

// TestReplicasNeedAllOfTheirTables has what is left when not all tables were restored, or when a new version needs one more.
func TestReplicasNeedAllOfTheirTables(t *testing.T) {
	t.Parallel()
	c, _ := replicated(t)
	db, err := ddb.Open(t.Context(), ddb.Config{Endpoint: c.Store.Endpoint, TablePrefix: c.Store.TablePrefix})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	blobs := db.Table("TaskBlobs")
	if _, err := db.API().UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: blobs, DeletionProtectionEnabled: aws.Bool(false)}); err != nil {
		t.Fatalf("UpdateTable() = %v, want no error", err)
	}
	if _, err := db.API().DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: blobs}); err != nil {
		t.Fatalf("DeleteTable() = %v, want no error", err)
	}
	if err := startError(t, c); err == nil || !strings.Contains(err.Error(), *blobs+" is not there") {
		t.Errorf("Run() = %v, want it to name the table", err)
	}
}

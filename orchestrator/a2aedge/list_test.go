package a2aedge_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/a2aedge"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
)

func TestAListOfNothingHasAllItsFields(t *testing.T) {
	w := newWorld(t)
	got := w.call(t, "GET", "/a2a/tasks", "", nil)
	if got.code != 200 || got.header.Get("Content-Type") != "application/a2a+json" {
		t.Errorf("%d %q, want 200 in application/a2a+json", got.code, got.header.Get("Content-Type"))
	}
	if want := `{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}`; got.body != want {
		t.Errorf("ListTasks() = %s, want %s", got.body, want)
	}
	plain := w.call(t, "GET", "/a2a/tasks", "", map[string]string{"Accept": "application/json"})
	if plain.header.Get("Content-Type") != "application/json" {
		t.Errorf("Content-Type = %q, want application/json for who asks for it", plain.header.Get("Content-Type"))
	}
}

// forgetful is a store in which a task is not there any more when it is read.
type forgetful struct {
	*storetest.Memory
	id string
}

func (f forgetful) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	if k.ID == f.id {
		return orchestrator.Task{}, fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", k.ID)
	}
	return f.Memory.TaskPart(ctx, k, want)
}

func TestAListLeavesOutWhatIsGoneWhenItIsRead(t *testing.T) {
	t.Parallel()
	store := forgetful{new(storetest.Memory), "2"}
	for _, id := range []string{"1", "2", "3"} {
		if _, _, err := store.Create(t.Context(), orchestrator.Task{Tenant: "default", ID: id, Owner: "ana"}); err != nil {
			t.Fatal(err)
		}
	}
	s := a2aedge.New(a2aedge.Config{Store: store, Pages: page.New(nil)})
	ctx := auth.NewContext(t.Context(), auth.Principal{Name: "ana", Tenant: "default", Roles: []auth.Role{auth.RoleDispatcher}})
	ctx = metadata.NewIncomingContext(ctx, metadata.Pairs("a2a-version", a2aedge.Version))
	resp, err := s.ListTasks(ctx, &a2apb.ListTasksRequest{})
	if err != nil || len(resp.GetTasks()) != 2 {
		t.Errorf("ListTasks() = %v, %v, want the two tasks that are there", resp, err)
	}
}

// TestAPageOfLargeTasksEndsEarly lists tasks with artifacts that one answer would not hold.
func TestAPageOfLargeTasksEndsEarly(t *testing.T) {
	t.Parallel()
	const most = 4 << 20
	store := new(storetest.Memory)
	for i := range 40 {
		task := orchestrator.Task{Tenant: "default", ID: fmt.Sprintf("%02d", i), Owner: "ana", Released: true, UpdateTime: time.Unix(int64(i), 0)}
		parts := []*a2apb.Part{{Content: &a2apb.Part_Text{Text: strings.Repeat("x", 300<<10)}}}
		for n := range 1 + 16*(i%2) { // every second has more alone
			task.Artifacts = append(task.Artifacts, &a2apb.Artifact{ArtifactId: strconv.Itoa(n), Parts: parts})
		}
		if _, _, err := store.Create(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	s := a2aedge.New(a2aedge.Config{Store: store, Pages: page.New(nil)})
	ctx := auth.NewContext(t.Context(), auth.Principal{Name: "ana", Tenant: "default", Roles: []auth.Role{auth.RoleDispatcher}})
	ctx = metadata.NewIncomingContext(ctx, metadata.Pairs("a2a-version", a2aedge.Version))
	size, artifacts := int32(100), true
	req := &a2apb.ListTasksRequest{PageSize: &size, IncludeArtifacts: &artifacts}
	var ids []string
	for {
		resp, err := s.ListTasks(ctx, req)
		if err != nil || len(resp.GetTasks()) == 0 || len(resp.GetTasks()) > 1 && proto.Size(resp) > most+most/100 {
			t.Fatalf("ListTasks() = %d tasks with %d bytes, %v, want one, or %d bytes at most", len(resp.GetTasks()), proto.Size(resp), err, most)
		}
		for _, task := range resp.GetTasks() {
			ids = append(ids, task.GetId())
		}
		if req.PageToken = resp.GetNextPageToken(); req.GetPageToken() == "" {
			break
		}
	}
	if len(ids) != 40 || !slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("all pages have %v, want each task once, in order", ids)
	}
}

// TestAFullPageIsNoLargerThanClientsTake lists tasks that have as many bytes together as one answer may have.
func TestAFullPageIsNoLargerThanClientsTake(t *testing.T) {
	t.Parallel()
	const tasks, most = 4, 4 << 20 // that of a gRPC client which says nothing else
	ctx := auth.NewContext(t.Context(), auth.Principal{Name: "ana", Tenant: "default", Roles: []auth.Role{auth.RoleDispatcher}})
	ctx = metadata.NewIncomingContext(ctx, metadata.Pairs("a2a-version", a2aedge.Version))
	list := func(tasks, text int) *a2apb.ListTasksResponse {
		t.Helper()
		store := new(storetest.Memory)
		for i := range tasks {
			if _, _, err := store.Create(ctx, orchestrator.Task{
				Tenant: "default", ID: strconv.Itoa(i), Owner: "ana", Released: true, UpdateTime: time.Unix(1, 0),
				Artifacts: []*a2apb.Artifact{{ArtifactId: "a", Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: strings.Repeat("x", text)}}}}},
			}); err != nil {
				t.Fatal(err)
			}
		}
		resp, err := a2aedge.New(a2aedge.Config{Store: store, Pages: page.New(nil)}).ListTasks(ctx, &a2apb.ListTasksRequest{IncludeArtifacts: new(true)})
		if err != nil || len(resp.GetTasks()) == 0 {
			t.Fatalf("ListTasks() = %d tasks, %v, want some", len(resp.GetTasks()), err)
		}
		return resp
	}
	const text = most / tasks
	around := proto.Size(list(1, text).GetTasks()[0]) - text
	if resp := list(tasks+1, text-around); proto.Size(resp) > most {
		t.Errorf("ListTasks() = %d tasks in %d bytes, want %d bytes at most", len(resp.GetTasks()), proto.Size(resp), most)
	}
}

// TestAClientNeedNotSayHowLargeAPageIs lists with a2a-go's client, which sends a page size of 0 over gRPC if it was given none.
func TestAClientNeedNotSayHowLargeAPageIs(t *testing.T) {
	w := newWorld(t)
	for _, binding := range bindings {
		c := w.client(t, "/agents/echo", binding)
		send(t, w, c, &a2a.SendMessageRequest{Message: text("x", nil)})
		if list, err := c.ListTasks(w.ctx, &a2a.ListTasksRequest{}); err != nil || len(list.Tasks) == 0 || list.PageSize != 50 {
			t.Errorf("ListTasks() over %s = %+v, %v, want a page of the usual size", binding, list, err)
		}
	}
	if got := w.call(t, "GET", "/a2a/tasks?pageSize=-1", "", nil); got.code != 400 || !strings.Contains(got.body, "PAGE_SIZE_INVALID") {
		t.Errorf("GET tasks?pageSize=-1 = %d %s, want PAGE_SIZE_INVALID", got.code, got.body)
	}
}

// TestAListIsInOrderOfTheLastChange makes tasks and reads them in pages of every size, with filters.
func TestAListIsInOrderOfTheLastChange(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, "", a2a.TransportProtocolJSONRPC)
	var newestFirst []string
	for i := range 7 {
		agent := []string{"echo", "careful"}[i%2]
		m := text(fmt.Sprint("task ", i), map[string]any{"route": map[string]any{"agent": agent}})
		m.ContextID = fmt.Sprint("context-", i%3)
		newestFirst = append([]string{string(send(t, w, c, &a2a.SendMessageRequest{Message: m}).ID)}, newestFirst...)
	}
	for _, size := range []string{"1", "2", "3", "7", "100"} {
		if got := w.pages(t, "/a2a/tasks", url.Values{"pageSize": {size}}); strings.Join(got, " ") != strings.Join(newestFirst, " ") {
			t.Errorf("pages of %s: %v, want %v", size, got, newestFirst)
		}
	}
	newest := w.call(t, "GET", "/a2a/tasks/"+newestFirst[0], "", nil).object(t)["status"].(map[string]any)["timestamp"].(string)
	at := func(indices ...int) []string {
		var ids []string
		for _, i := range indices {
			ids = append(ids, newestFirst[len(newestFirst)-1-i])
		}
		return ids
	}
	for name, test := range map[string]struct {
		path  string
		query url.Values
		want  []string
	}{
		"of a context":            {"/a2a/tasks", url.Values{"context_id": {"context-1"}}, at(4, 1)},
		"in a state":              {"/a2a/tasks", url.Values{"status": {"TASK_STATE_COMPLETED"}}, newestFirst},
		"in no state":             {"/a2a/tasks", url.Values{"status": {"TASK_STATE_FAILED"}}, nil},
		"of an agent by its URL":  {"/agents/careful/tasks", url.Values{}, at(5, 3, 1)},
		"of an agent by its name": {"/a2a/careful/tasks", url.Values{}, at(5, 3, 1)},
		"of an agent as a query":  {"/a2a/tasks", url.Values{"tenant": {"careful"}}, at(5, 3, 1)},
		"changed in the future":   {"/a2a/tasks", url.Values{"statusTimestampAfter": {time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}}, nil},
		"changed as the newest":   {"/a2a/tasks", url.Values{"statusTimestampAfter": {newest}}, newestFirst[:1]}, // the time itself counts
		"changed lately":          {"/a2a/tasks", url.Values{"lastUpdatedAfter": {time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}}, newestFirst},
	} {
		test.query.Set("pageSize", "2")
		if got := w.pages(t, test.path, test.query); strings.Join(got, " ") != strings.Join(test.want, " ") {
			t.Errorf("tasks %s: %v, want %v", name, got, test.want)
		}
	}
	first := w.call(t, "GET", "/a2a/tasks?pageSize=2", "", nil).object(t)
	other := w.call(t, "GET", "/a2a/tasks?contextId=context-1&pageToken="+first["nextPageToken"].(string), "", nil)
	if other.code != 400 || !strings.Contains(other.body, "PAGE_TOKEN_INVALID") {
		t.Errorf("a token of another list: %d %s, want 400 with PAGE_TOKEN_INVALID", other.code, other.body)
	}
	wide := w.call(t, "GET", "/a2a/tasks?pageSize=1&includeArtifacts=true&historyLength=0", "", nil)
	if !strings.Contains(wide.body, `"artifacts":`) || strings.Contains(wide.body, `"history":`) {
		t.Errorf("with artifacts and without history: %s", wide.body)
	}
}

// pages reads a whole list and returns the ids in it.
func (w *world) pages(t *testing.T, path string, query url.Values) []string {
	t.Helper()
	var ids []string
	for {
		page := w.call(t, "GET", path+"?"+query.Encode(), "", nil).object(t)
		tasks, _ := page["tasks"].([]any)
		for _, task := range tasks {
			ids = append(ids, task.(map[string]any)["id"].(string))
		}
		token, _ := page["nextPageToken"].(string)
		if token == "" {
			if total, _ := page["totalSize"].(float64); int(total) != len(ids) {
				t.Errorf("totalSize = %v, want %d", page["totalSize"], len(ids))
			}
			return ids
		}
		query.Set("pageToken", token)
	}
}

// frugal is a store that is asked for parts of tasks.
type frugal struct {
	*storetest.Memory
	parts []orchestrator.Part
}

func (f *frugal) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	f.parts = append(f.parts, want)
	return f.Memory.TaskPart(ctx, k, want)
}

// TestAListReadsWhatItShows lists a task that has content of every kind, and one whose artifacts are held back, which are only counted.
func TestAListReadsWhatItShows(t *testing.T) {
	t.Parallel()
	said := &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "do it"}}}}
	none, some := int32(0), int32(1)
	for name, c := range map[string]struct {
		history   *int32
		artifacts bool
		want      orchestrator.Part
		shown     int // messages
	}{
		"nothing but the state":   {&none, false, orchestrator.Part{}, 0},
		"the latest message":      {&some, false, orchestrator.Part{Messages: true}, 1},
		"the history":             {nil, false, orchestrator.Part{Messages: true}, 2},
		"what the agent has made": {&none, true, orchestrator.Part{Artifacts: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &frugal{Memory: new(storetest.Memory)}
			for i, released := range []bool{true, false} {
				if _, _, err := store.Create(t.Context(), orchestrator.Task{
					Tenant: "default", ID: strconv.Itoa(i), Owner: "ana", Released: released, UpdateTime: time.Unix(int64(-i), 0), Phase: orchestrator.PhasePreCompletion,
					Message: said, Turns: []orchestrator.Turn{{Number: 1, Message: said}}, Artifacts: []*a2apb.Artifact{{ArtifactId: "a"}},
				}); err != nil {
					t.Fatal(err)
				}
			}
			s := a2aedge.New(a2aedge.Config{Store: store, Pages: page.New(nil)})
			ctx := auth.NewContext(t.Context(), auth.Principal{Name: "ana", Tenant: "default", Roles: []auth.Role{auth.RoleDispatcher}})
			ctx = metadata.NewIncomingContext(ctx, metadata.Pairs("a2a-version", a2aedge.Version))
			resp, err := s.ListTasks(ctx, &a2apb.ListTasksRequest{HistoryLength: c.history, IncludeArtifacts: &c.artifacts})
			if err != nil || len(resp.GetTasks()) != 2 || !slices.Equal(store.parts, []orchestrator.Part{c.want, c.want}) {
				t.Fatalf("ListTasks() = %v, %v, after reading %+v of its tasks, want two and %+v", resp, err, store.parts, c.want)
			}
			first, second := resp.GetTasks()[0], resp.GetTasks()[1]
			if len(first.GetHistory()) != c.shown || len(first.GetArtifacts()) > 0 != c.artifacts {
				t.Errorf("the list shows %v, want %d messages and artifacts %t", first, c.shown, c.artifacts)
			}
			word := second.GetMetadata().GetFields()[a2aedge.TaskExtension].GetStructValue().GetFields()
			if len(second.GetArtifacts()) > 0 || word["withheldArtifacts"].GetNumberValue() != 1 {
				t.Errorf("the list shows %v, want one artifact that is held back", second)
			}
		})
	}
}

package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

// listed returns a service over filled tasks.
func listed(t *testing.T, n int) *rpc.Service {
	t.Helper()
	return rpc.New(nil, filled(t, n), page.New([]byte("key")))
}

// filled returns a store of n tasks, named 0000 and so on, each a minute younger than the one before, and written last a minute after its creation. Every
// hundredth is a part of another task and failed at web-fetch; echo completed the others. Every second of the failed is bob's, and all others are alice's.
func filled(t *testing.T, n int) *storetest.Memory {
	t.Helper()
	store := &storetest.Memory{}
	for i := range n {
		at := time.Date(2026, 1, 16, 0, i, 0, 0, time.UTC)
		task := orchestrator.Task{
			Tenant: "default", ID: fmt.Sprintf("%04d", i), ContextID: "c", Owner: "alice", Agent: "echo", Phase: orchestrator.PhaseDone,
			State: a2apb.TaskState_TASK_STATE_COMPLETED, CreateTime: at, UpdateTime: at.Add(time.Minute), Deadline: at.Add(time.Hour),
		}
		if i%100 == 0 {
			task.Agent, task.Skill, task.State, task.Parent = "web-fetch", "fetch", a2apb.TaskState_TASK_STATE_FAILED, &orchestrator.Parent{TaskID: "p"}
		}
		if i%200 == 100 {
			task.Owner = "bob"
		}
		if _, _, err := store.Create(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

type lister interface {
	ListTasks(ctx context.Context, req *orchestratorv1.ListTasksRequest) (*orchestratorv1.ListTasksResponse, error)
}

// all reads a list to its end and returns the ids on its pages, none with too many tasks, and how many pages there were.
func all(t *testing.T, s lister, caller auth.Principal, req *orchestratorv1.ListTasksRequest) (ids []string, pages int) {
	t.Helper()
	for {
		resp, err := s.ListTasks(auth.NewContext(t.Context(), caller), req)
		if err != nil {
			t.Fatalf("ListTasks(%v) = %v", req, err)
		}
		if n := len(resp.GetTasks()); n > page.Size(req.GetPageSize()) {
			t.Errorf("ListTasks(%v) = %d tasks on a page, want no more than asked for", req, n)
		}
		for _, task := range resp.GetTasks() {
			ids = append(ids, task.GetId())
		}
		if pages++; resp.GetNextPageToken() == "" {
			return ids, pages
		}
		req.PageToken = resp.GetNextPageToken()
	}
}

var admin = auth.Principal{Tenant: "default", Name: "root", Roles: []auth.Role{auth.RoleAdmin}}

func TestTasksAreListedByAFilter(t *testing.T) {
	t.Parallel()
	s := listed(t, 401)
	for filter, want := range map[string]string{
		`state=TASK_STATE_FAILED`: "0400 0300 0200 0100 0000",
		`state=FAILED`:            "0400 0300 0200 0100 0000", // as the command line prints it
		`agent=web* update_time>="2026-01-16T05:01:00Z"`: "0400 0300",
		`parent_task_id:* AND NOT id=0400`:               "0300 0200 0100 0000",
		`id=0007 OR id=0399`:                             "0399 0007",
		`phase=done blocked=true`:                        "",
		`create_time<"2026-01-16T00:01:00Z"`:             "0000",
		"phase=pre-execution OR phase=execution OR phase=design-review OR phase=pre-completion OR phase=on-error": "",
		`skill=fetch`:                                  "0400 0300 0200 0100 0000",
		`skill="" OR skill=*`:                          strings.Join(everyID(401), " "),
		`create_time<"2026-01-16T05:00:00Z"`:           strings.Join(everyID(300), " "), // none of the newest: a page begins in the middle of what is read
		`context_id=c deadline<"2026-01-16T01:02:00Z"`: "0001 0000",
	} {
		for _, size := range []int32{7, 1000} {
			got, _ := all(t, s, admin, &orchestratorv1.ListTasksRequest{Filter: filter, PageSize: size, OrderBy: "createTime  desc"})
			if strings.Join(got, " ") != want {
				t.Errorf("ListTasks(%s, pages of %d) = %v, want %s", filter, size, got, want)
			}
		}
	}
}

func everyID(n int) []string {
	var ids []string
	for i := range n {
		ids = append(ids, fmt.Sprintf("%04d", n-1-i))
	}
	return ids
}

func TestAFilteredListShowsACallerItsOwn(t *testing.T) {
	t.Parallel()
	s := listed(t, 401)
	alice := auth.Principal{Tenant: "default", Name: "alice", Roles: []auth.Role{auth.RoleDispatcher}}
	got, _ := all(t, s, alice, &orchestratorv1.ListTasksRequest{Filter: "state=TASK_STATE_FAILED"})
	if want := []string{"0400", "0200", "0000"}; !slices.Equal(got, want) {
		t.Errorf("ListTasks() of alice = %v, want %v", got, want)
	}
	other := alice
	other.Tenant = "other"
	if got, _ := all(t, s, other, &orchestratorv1.ListTasksRequest{}); len(got) != 0 {
		t.Errorf("ListTasks() of another tenant = %v, want none", got)
	}
}

func TestAPageLooksAtABoundedNumberOfTasks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		tasks, pages int
		size         int32
	}{{100, 3, 1}, {4500, 3, 100}, {4500, 3, 1000}} {
		s := listed(t, test.tasks)
		got, pages := all(t, s, admin, &orchestratorv1.ListTasksRequest{Filter: "agent=nobody", PageSize: test.size})
		if len(got) != 0 || pages != test.pages {
			t.Errorf("ListTasks(agent=nobody, pages of %d) of %d tasks = %v on %d pages, want none on %d", test.size, test.tasks, got, pages, test.pages)
		}
	}
}

// TestAPageOfLargeTasksEndsEarly has lists of tasks with some KiB of attributes, as many as a store takes or few.
func TestAPageOfLargeTasksEndsEarly(t *testing.T) {
	t.Parallel()
	type run struct{ tasks, size int }
	for name, runs := range map[string][]run{
		"large": {{30, 300}}, "newest are small": {{20, 300}, {300, 0}}, "newest are large": {{300, 0}, {20, 300}},
		"a page is full after what is read at once": {{5, 300}, {100, 40}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, tasks := &storetest.Memory{}, 0
			for _, r := range runs {
				for range r.tasks {
					at, text := time.Date(2026, 1, 16, 0, tasks, 0, 0, time.UTC), strings.Repeat("x", r.size<<10)
					task := orchestrator.Task{Tenant: "default", ID: fmt.Sprintf("%04d", tasks), Owner: "alice", CreateTime: at, Attributes: consultation.Attributes{"a": text}}
					if _, _, err := store.Create(t.Context(), task); err != nil {
						t.Fatal(err)
					}
					tasks++
				}
			}
			service := sized{rpc.New(nil, store, page.New([]byte("key"))), t}
			if got, pages := all(t, service, admin, &orchestratorv1.ListTasksRequest{PageSize: 1000}); !slices.Equal(got, everyID(tasks)) || pages < 2 {
				t.Errorf("ListTasks() = %v on %d pages, want all tasks on several", got, pages)
			}
		})
	}
}

// sized is a service whose clients take 4 MiB.
type sized struct {
	*rpc.Service
	t *testing.T
}

func (s sized) ListTasks(ctx context.Context, req *orchestratorv1.ListTasksRequest) (*orchestratorv1.ListTasksResponse, error) {
	resp, err := s.Service.ListTasks(ctx, req)
	if size := proto.Size(resp); size > 4<<20 {
		s.t.Errorf("ListTasks() = %d tasks with %d bytes, want 4 MiB at most", len(resp.GetTasks()), size)
	}
	return resp, err
}

// TestATaskThatIsLargerThanAPageIsListed has it be alone on its page.
func TestATaskThatIsLargerThanAPageIsListed(t *testing.T) {
	t.Parallel()
	store := &storetest.Memory{}
	for i, size := range []int{0, 5 << 20, 0} {
		task := orchestrator.Task{Tenant: "default", ID: fmt.Sprintf("%04d", i), Owner: "alice", CreateTime: time.Date(2026, 1, 16, 0, i, 0, 0, time.UTC)}
		task.Attributes = consultation.Attributes{"a": strings.Repeat("x", size)}
		if _, _, err := store.Create(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
	if got, pages := all(t, rpc.New(nil, store, page.New([]byte("key"))), admin, &orchestratorv1.ListTasksRequest{}); !slices.Equal(got, everyID(3)) || pages != 3 {
		t.Errorf("ListTasks() = %v on %d pages, want all tasks on three", got, pages)
	}
}

// TestAListThatCannotBeReadIsNoShorterList has the store fail at each of the three reads of a page.
func TestAListThatCannotBeReadIsNoShorterList(t *testing.T) {
	t.Parallel()
	store, down := filled(t, 250), errors.New("the store is down")
	s := rpc.New(nil, store, page.New([]byte("key")))
	for fails := range 3 {
		last := store.Calls() + fails
		store.Fail = func(call int) (before, after error) {
			if call > last {
				before = down
			}
			return before, nil
		}
		if got, err := s.ListTasks(auth.NewContext(t.Context(), admin), &orchestratorv1.ListTasksRequest{PageSize: 1000}); !errors.Is(err, down) {
			t.Errorf("ListTasks() over a store that fails after %d reads = %d tasks, %v, want its error", fails, len(got.GetTasks()), err)
		}
	}
}

func TestAListThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	s := listed(t, 3)
	ctx := auth.NewContext(t.Context(), admin)
	first, err := s.ListTasks(ctx, &orchestratorv1.ListTasksRequest{PageSize: 1, Filter: "agent=*"})
	if err != nil || first.GetNextPageToken() == "" {
		t.Fatalf("ListTasks() = %v, %v, want a first page", first, err)
	}
	for want, req := range map[string]*orchestratorv1.ListTasksRequest{
		"FILTER_INVALID":     {Filter: "state=DONE"},
		"ORDER_INVALID":      {OrderBy: "createTime"},
		"PAGE_TOKEN_INVALID": {PageToken: first.GetNextPageToken(), Filter: "agent=e*"},
	} {
		if _, err := s.ListTasks(ctx, req); fault.ReasonOf(err) != want || fault.KindOf(err) != fault.InvalidArgument {
			t.Errorf("ListTasks(%v) = %v, want %s", req, err, want)
		}
	}
	for name, p := range map[string]auth.Principal{
		"another caller": {Tenant: admin.Tenant, Name: "boss", Roles: admin.Roles}, "a namesake elsewhere": {Tenant: "other", Name: admin.Name, Roles: admin.Roles},
	} {
		req := &orchestratorv1.ListTasksRequest{PageToken: first.GetNextPageToken(), Filter: "agent=*"}
		if _, err := s.ListTasks(auth.NewContext(t.Context(), p), req); fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
			t.Errorf("ListTasks() of %s with the token of %s = %v, want PAGE_TOKEN_INVALID", name, admin.Name, err)
		}
	}
}

package rpc_test

import (
	"slices"
	"testing"

	"github.com/quorate/quorate/orchestrator/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	orchestratorv1 "github.com/quorate/quorate/proto/gen/quorate/orchestrator/v1"
)

func TestCallersAreToldWhoTheyAreAndWhatTheyMayDo(t *testing.T) {
	t.Parallel()
	const self, route, tasks = "quorate.orchestrator.v1.CallerService/GetCaller", "quorate.orchestrator.v1.RouteService/ResolveRoute", "quorate.orchestrator.v1.TaskService/"
	reads := []string{self, route, tasks + "GetTask", tasks + "ListTasks", tasks + "WatchTask"}
	all := []string{self, route, tasks + "CancelTask", tasks + "GetTask", tasks + "ListTasks", tasks + "ReplyToTask", tasks + "SubmitTask", tasks + "WatchTask"}
	for name, test := range map[string]struct {
		roles    []auth.Role
		open     []string
		wantRole []string
	}{
		"an admin":                 {[]auth.Role{auth.RoleAdmin}, all, []string{"admin"}},
		"a dispatcher":             {[]auth.Role{auth.RoleDispatcher}, all, []string{"dispatcher"}},
		"a viewer":                 {[]auth.Role{auth.RoleViewer}, reads, []string{"viewer"}},
		"an agent":                 {[]auth.Role{auth.RoleAgent}, reads, []string{"agent"}},
		"an agent that dispatches": {[]auth.Role{auth.RoleAgent, auth.RoleDispatcher}, all, []string{"agent", "dispatcher"}},
		"nobody in the list":       {nil, []string{self}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := auth.Principal{Tenant: "acme", Name: "ann", Roles: test.roles, Credential: auth.CredentialOIDC}
			got, err := rpc.NewCallers(rpc.Rules()).GetCaller(auth.NewContext(t.Context(), p), &orchestratorv1.GetCallerRequest{})
			if err != nil || got.GetName() != "ann" || got.GetTenant() != "acme" || got.GetCredential() != "openid-connect" || !slices.Equal(got.GetRoles(), test.wantRole) {
				t.Errorf("GetCaller() = %v, %v, want ann of acme with the roles %v", got, err, test.wantRole)
			}
			if !slices.Equal(got.GetMethods(), test.open) {
				t.Errorf("GetCaller().methods = %v, want %v", got.GetMethods(), test.open)
			}
		})
	}
}

func TestNobodyIsNoCaller(t *testing.T) {
	t.Parallel()
	if _, err := rpc.NewCallers(nil).GetCaller(t.Context(), nil); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("GetCaller() = %v, want unauthenticated", err)
	}
	ctx, s := t.Context(), listed(t, 3)
	_, list := s.ListTasks(ctx, &orchestratorv1.ListTasksRequest{})
	_, get := s.GetTask(ctx, &orchestratorv1.GetTaskRequest{Id: "0000"})
	_, submit := s.SubmitTask(ctx, &orchestratorv1.SubmitTaskRequest{})
	_, cancel := s.CancelTask(ctx, &orchestratorv1.CancelTaskRequest{Id: "0000"})
	_, reply := s.ReplyToTask(ctx, &orchestratorv1.ReplyToTaskRequest{Id: "0000"})
	_, resolve := rpc.NewRoutes(nil).ResolveRoute(ctx, &orchestratorv1.ResolveRouteRequest{})
	for method, err := range map[string]error{"ListTasks": list, "GetTask": get, "SubmitTask": submit, "CancelTask": cancel, "ReplyToTask": reply, "ResolveRoute": resolve} {
		if fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s() = %v, want unauthenticated", method, err)
		}
	}
}

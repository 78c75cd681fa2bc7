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
	const get, submit, self = "quorate.orchestrator.v1.TaskService/GetTask", "quorate.orchestrator.v1.TaskService/SubmitTask", "quorate.orchestrator.v1.CallerService/GetCaller"
	for name, test := range map[string]struct {
		roles    []auth.Role
		open     []string
		shut     []string
		wantRole []string
	}{
		"a viewer":           {[]auth.Role{auth.RoleViewer}, []string{get, self}, []string{submit}, []string{"viewer"}},
		"a dispatcher":       {[]auth.Role{auth.RoleDispatcher}, []string{get, self, submit}, nil, []string{"dispatcher"}},
		"nobody in the list": {nil, []string{self}, []string{get, submit}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := auth.Principal{Tenant: "acme", Name: "ann", Roles: test.roles, Credential: auth.CredentialOIDC}
			got, err := rpc.NewCallers(rpc.Rules()).GetCaller(auth.NewContext(t.Context(), p), &orchestratorv1.GetCallerRequest{})
			if err != nil || got.GetName() != "ann" || got.GetTenant() != "acme" || got.GetCredential() != "openid-connect" || !slices.Equal(got.GetRoles(), test.wantRole) {
				t.Errorf("GetCaller() = %v, %v, want ann of acme with the roles %v", got, err, test.wantRole)
			}
			for _, method := range test.open {
				if !slices.Contains(got.GetMethods(), method) {
					t.Errorf("GetCaller().methods = %v, want %s in it", got.GetMethods(), method)
				}
			}
			for _, method := range test.shut {
				if slices.Contains(got.GetMethods(), method) {
					t.Errorf("GetCaller().methods = %v, want it without %s", got.GetMethods(), method)
				}
			}
			if !slices.IsSorted(got.GetMethods()) {
				t.Errorf("GetCaller().methods = %v, want them in order", got.GetMethods())
			}
		})
	}
}

func TestNobodyIsNoCaller(t *testing.T) {
	t.Parallel()
	if _, err := rpc.NewCallers(nil).GetCaller(t.Context(), nil); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("GetCaller() = %v, want unauthenticated", err)
	}
}

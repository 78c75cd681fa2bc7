package rpc_test

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry/rpc"
)

// TestAWalkMissesNothingAndRepeatsNothing walks lists page by page in any order, with any filter and size of page, while agents come
// and go between the pages: each agent that is there all the time and passes is seen once, and nobody is seen twice.
func TestAWalkMissesNothingAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s, _ := open(t)
		stay := rapid.SliceOfNDistinct(rapid.IntRange(0, 99), 0, 30, rapid.ID[int]).Draw(rt, "stay")
		for _, n := range stay {
			put(t, s, "stay", n)
		}
		order := rapid.SampledFrom([]string{"", "name desc", "version", "version desc", "create_time", "update_time desc"}).Draw(rt, "order")
		least := rapid.IntRange(0, 99).Draw(rt, "least")
		req := &registryv1.ListAgentsRequest{
			Filter: fmt.Sprintf(`skills:fetch version>=1.%d.0`, least), OrderBy: order, PageSize: rapid.Int32Range(1, 7).Draw(rt, "size"),
		}
		seen := make(map[string]int)
		guests := 0
		for {
			res, err := s.ListAgents(admin(t), req)
			if err != nil {
				rt.Fatalf("ListAgents(%v) = %v, want no error", req, err)
			}
			for _, a := range res.GetAgents() {
				seen[a.GetName()]++
			}
			if req.PageToken = res.GetNextPageToken(); req.GetPageToken() == "" {
				break
			}
			if guests < 5 && rapid.Bool().Draw(rt, "guest") {
				put(t, s, "guest", guests)
				guests++
			} else if guests > 0 {
				_, _ = s.DeleteAgent(admin(t), &registryv1.DeleteAgentRequest{Name: fmt.Sprintf("guest%d", guests-1)}) // it may be gone already
			}
		}
		for _, n := range stay {
			if name := fmt.Sprintf("stay%d", n); (seen[name] == 1) != (n >= least) {
				rt.Errorf("%s was seen %d times by %v, want once if its version is enough", name, seen[name], req)
			}
		}
		if i := slices.IndexFunc(stay, func(n int) bool { return seen[fmt.Sprintf("stay%d", n)] > 1 }); i >= 0 {
			rt.Errorf("stay%d was seen more than once by %v", stay[i], req)
		}
	})
}

// put registers the agent of the version 1.n.0.
func put(t *testing.T, s *rpc.Server, name string, n int) {
	t.Helper()
	req := card(t, fmt.Sprintf("%s%d", name, n), "fetch")
	req.GetCard().Fields["version"] = structpb.NewStringValue(fmt.Sprintf("1.%d.0", n))
	register(admin(t), t, s, req)
}

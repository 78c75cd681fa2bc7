package rpc_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/registrytest"
	"github.com/quorate/quorate/registry/rpc"
)

func names(t *testing.T, s *rpc.Server, filter, order string, size int32) (all []string) {
	t.Helper()
	for _, page := range pages(t, func(token string) ([]*registryv1.Agent, string, error) {
		res, err := s.ListAgents(admin(t), &registryv1.ListAgentsRequest{PageSize: size, PageToken: token, Filter: filter, OrderBy: order})
		return res.GetAgents(), res.GetNextPageToken(), err
	}, (*registryv1.Agent).GetName) {
		all = append(all, page...)
	}
	return all
}

// several registers agents a0, a1 and so on, in an order that is not that of their names, of versions 1.n.0; every other one is available.
func several(t *testing.T, s *rpc.Server, n int) {
	t.Helper()
	for i := range n {
		at := (i*7 + 3) % n
		name := fmt.Sprintf("a%d", at)
		req := card(t, name, "fetch", "only-"+name)
		req.GetCard().Fields["version"] = structpb.NewStringValue(fmt.Sprintf("1.%d.0", at))
		register(admin(t), t, s, req)
		if at%2 == 0 {
			if _, err := s.Heartbeat(admin(t), &registryv1.HeartbeatRequest{Name: name, Status: "available"}); err != nil {
				t.Fatalf("Heartbeat() = %v, want no error", err)
			}
		}
	}
}

func TestAListIsFilteredAndOrdered(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	several(t, s, 12)
	for _, test := range []struct {
		filter, order string
		want          []string
	}{
		{`status=available version>=1.6.0`, "", []string{"a10", "a6", "a8"}},
		{`skills:"only-a3"`, "", []string{"a3"}},
		{`skills:only-a3 AND name=a4`, "", nil},
		{`version>1.8.0`, "version", []string{"a9", "a10", "a11"}},
		{`version>1.8.0`, "version desc", []string{"a11", "a10", "a9"}},
		{`version<1.3.0`, "name desc", []string{"a2", "a1", "a0"}},
		{`version<1.3.0`, "create_time", []string{"a0", "a2", "a1"}}, // in order of registration
		{`version<1.3.0 status=available`, "update_time desc", []string{"a2", "a0"}},
	} {
		for _, size := range []int32{1, 2, 0} {
			if diff := cmp.Diff(test.want, names(t, s, test.filter, test.order, size)); diff != "" {
				t.Errorf("ListAgents(%s, %s, %d), difference (-want +got):\n%s", test.filter, test.order, size, diff)
			}
		}
	}
	for reason, req := range map[string]*registryv1.ListAgentsRequest{
		"FILTER_INVALID": {Filter: "colour=red"}, "ORDER_INVALID": {OrderBy: "colour"}, "PAGE_TOKEN_INVALID": {PageToken: "AAAA"},
	} {
		if _, err := s.ListAgents(admin(t), req); fault.ReasonOf(err) != reason {
			t.Errorf("ListAgents(%v) = %v, want %s", req, err, reason)
		}
	}
}

func TestAPageTokenIsItsCallersOwn(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	several(t, s, 3)
	res, err := s.ListAgents(admin(t), &registryv1.ListAgentsRequest{PageSize: 1})
	if err != nil {
		t.Fatalf("ListAgents() = %v, want no error", err)
	}
	token := res.GetNextPageToken()
	for name, read := range map[string]func() error{
		"another caller": func() error {
			_, err := s.ListAgents(as(t, "t", "ann", "admin"), &registryv1.ListAgentsRequest{PageToken: token})
			return err
		},
		"another filter": func() error {
			_, err := s.ListAgents(admin(t), &registryv1.ListAgentsRequest{PageToken: token, Filter: "name=a1"})
			return err
		},
		"another order": func() error {
			_, err := s.ListAgents(admin(t), &registryv1.ListAgentsRequest{PageToken: token, OrderBy: "version"})
			return err
		},
	} {
		if err := read(); fault.ReasonOf(err) != "PAGE_TOKEN_INVALID" {
			t.Errorf("a token for %s = %v, want PAGE_TOKEN_INVALID", name, err)
		}
	}
}

func TestBatchGetAgents(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	several(t, s, 3)
	res, err := s.BatchGetAgents(admin(t), &registryv1.BatchGetAgentsRequest{Names: []string{"a2", "a0", "a2"}})
	var got []string
	for _, a := range res.GetAgents() {
		got = append(got, a.GetName()+":"+a.GetStatus().GetStatus())
	}
	if err != nil || !slices.Equal(got, []string{"a2:available", "a0:available", "a2:available"}) {
		t.Errorf("BatchGetAgents() = %v, %v, want them in order", got, err)
	}
	if _, err := s.BatchGetAgents(admin(t), &registryv1.BatchGetAgentsRequest{Names: []string{"a1", "x"}}); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("BatchGetAgents(a1, x) = %v, want AGENT_NOT_FOUND", err)
	}
}

func TestSearchAndCompatibilityPageByPage(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	for i := range 4 {
		req := card(t, fmt.Sprintf("a%d", i), "fetch")
		req.Metadata = &registryv1.AgentMetadata{
			InputSchemas:  []*registryv1.InputSchema{{Name: "in", SemanticType: "document", JsonSchema: &structpb.Struct{}}},
			OutputSchemas: []*registryv1.OutputSchema{{Name: "out", SemanticType: "comment"}},
		}
		if got := register(ctx, t, s, req); got.GetMetadata().GetInputSchemas()[0].GetJsonSchema() == nil || got.GetMetadata().GetOutputSchemas()[0].GetJsonSchema() != nil {
			t.Errorf("RegisterAgent() = %v, want the one JSON Schema", got)
		}
	}
	if _, err := s.FindCompatible(ctx, &registryv1.FindCompatibleRequest{AgentName: "a1", Schema: "other"}); fault.ReasonOf(err) != "SCHEMA_NOT_FOUND" {
		t.Errorf("FindCompatible() of a schema that the agent has not = %v, want SCHEMA_NOT_FOUND", err)
	}
	matches := pages(t, func(token string) ([]*registryv1.AgentMatch, string, error) {
		res, err := s.SearchAgents(ctx, &registryv1.SearchAgentsRequest{Query: "skill fetch", Tag: "T", PageSize: 3, PageToken: token})
		return res.GetResults(), res.GetNextPageToken(), err
	}, func(m *registryv1.AgentMatch) string { return m.GetAgent().GetName() + "/" + m.GetSkillIds()[0] })
	if diff := cmp.Diff([][]string{{"a0/fetch", "a1/fetch", "a2/fetch"}, {"a3/fetch"}}, matches); diff != "" {
		t.Errorf("SearchAgents(), difference (-want +got):\n%s", diff)
	}
	pairs := pages(t, func(token string) ([]*registryv1.CompatiblePair, string, error) {
		res, err := s.FindCompatible(ctx, &registryv1.FindCompatibleRequest{AgentName: "a1", Direction: "producers", PageSize: 2, PageToken: token})
		return res.GetPairs(), res.GetNextPageToken(), err
	}, func(p *registryv1.CompatiblePair) string {
		return p.GetTier() + " " + p.GetProducer() + " " + p.GetAgentStatus()
	})
	if diff := cmp.Diff([][]string{{"seed a0 unknown", "seed a2 unknown"}, {"seed a3 unknown"}}, pairs); diff != "" {
		t.Errorf("FindCompatible(), difference (-want +got):\n%s", diff)
	}
}

func TestApplyAgent(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	req := &registryv1.ApplyAgentRequest{Source: &registryv1.ApplyAgentRequest_Card{Card: card(t, "a", "fetch").GetCard()}}
	if res, err := s.ApplyAgent(as(t, "t", "a", "agent"), req); err != nil || res.GetOutcome() != "created" {
		t.Errorf("ApplyAgent() by the agent = %v, %v, want created", res, err)
	}
	if res, err := s.ApplyAgent(admin(t), req); err != nil || res.GetOutcome() != "unchanged" {
		t.Errorf("ApplyAgent() by an admin = %v, %v, want unchanged", res, err)
	}
	named := &registryv1.ApplyAgentRequest{Source: &registryv1.ApplyAgentRequest_Card{Card: card(t, "Not A Name", "fetch").GetCard()}, Name: "named"}
	if res, err := s.ApplyAgent(as(t, "t", "named", "agent"), named); err != nil || res.GetAgent().GetName() != "named" {
		t.Errorf("ApplyAgent() under a name = %q, %v, want it to have that", res.GetAgent().GetName(), err)
	}
	if _, err := s.ApplyAgent(as(t, "t", "b", "agent"), req); fault.ReasonOf(err) != "NOT_YOUR_AGENT" {
		t.Errorf("ApplyAgent() of another agent = %v, want NOT_YOUR_AGENT", err)
	}
}

func FuzzPageToken(f *testing.F) {
	s := rpc.New(registrytest.New(f, registry.Options{}), page.New(make([]byte, 32)))
	f.Add("")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Add(page.New([]byte("another key")).Encode("scope", []byte("cursor")))
	f.Fuzz(func(t *testing.T, token string) {
		_, listErr := s.ListAgents(admin(t), &registryv1.ListAgentsRequest{PageToken: token, OrderBy: "version"})
		_, searchErr := s.SearchAgents(admin(t), &registryv1.SearchAgentsRequest{Query: "x", PageToken: token})
		for _, err := range []error{listErr, searchErr} {
			if got := fault.ReasonOf(err) == "PAGE_TOKEN_INVALID"; got != (token != "") {
				t.Errorf("a list with the token %q = %v, want PAGE_TOKEN_INVALID", token, err)
			}
		}
	})
}

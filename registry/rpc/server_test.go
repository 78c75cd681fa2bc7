package rpc_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/registrytest"
	"github.com/quorate/quorate/registry/rpc"
)

// open returns a server over an empty registry, and that registry.
func open(t *testing.T) (*rpc.Server, *registry.Registry) {
	t.Helper()
	r := registrytest.New(t, registry.Options{})
	return rpc.New(r, page.New(make([]byte, 32))), r
}

func as(t *testing.T, tenant, name string, roles ...auth.Role) context.Context {
	t.Helper()
	return auth.NewContext(t.Context(), auth.Principal{Tenant: tenant, Name: name, Roles: roles})
}

func admin(t *testing.T) context.Context { t.Helper(); return as(t, "t", "root", auth.RoleAdmin) }

// card returns a registration of an agent with the skills.
func card(t *testing.T, name string, skills ...string) *registryv1.RegisterAgentRequest {
	t.Helper()
	list := make([]any, len(skills))
	for i, id := range skills {
		list[i] = map[string]any{"id": id, "name": "Skill " + id, "description": "d", "tags": []any{"t"}}
	}
	s, err := structpb.NewStruct(map[string]any{
		"version": "1.0.0", "url": "https://a.example/<rpc>", "skills": list, "name": name,
	})
	if err != nil {
		t.Fatalf("NewStruct() = %v, want no error", err)
	}
	return &registryv1.RegisterAgentRequest{Source: &registryv1.RegisterAgentRequest_Card{Card: s}}
}

func TestAnAgentHasTheNameThatTheRequestGives(t *testing.T) {
	t.Parallel()
	req := card(t, "Not A Name", "fetch")
	req.Name = "named"
	s, _ := open(t)
	if got := register(admin(t), t, s, req); got.GetName() != "named" || got.GetCard().GetFields()["name"].GetStringValue() != "Not A Name" {
		t.Errorf("RegisterAgent() = %q with the card %v, want named and the card as it was", got.GetName(), got.GetCard())
	}
}

func register(ctx context.Context, t *testing.T, s *rpc.Server, req *registryv1.RegisterAgentRequest) *registryv1.Agent {
	t.Helper()
	res, err := s.RegisterAgent(ctx, req)
	if err != nil {
		t.Fatalf("RegisterAgent() = %v, want no error", err)
	}
	return res.GetAgent()
}

func TestRequestIDsAreTheCallersOwn(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for caller, name := range map[string]string{"root": "a", "ops": "b"} {
		ctx, req := as(t, "t", caller, auth.RoleAdmin), card(t, name)
		req.RequestId = "1"
		register(ctx, t, s, req)
		if _, err := s.DeleteAgent(ctx, &registryv1.DeleteAgentRequest{Name: name, RequestId: "2"}); err != nil {
			t.Errorf("DeleteAgent(%s) by %s = %v, want no error", name, caller, err)
		}
	}
}

func TestEveryMethodHasARule(t *testing.T) {
	t.Parallel()
	rules, service := rpc.Rules(), &registryv1.RegistryService_ServiceDesc
	var methods []string
	for _, method := range service.Methods {
		methods = append(methods, method.MethodName)
	}
	for _, stream := range service.Streams {
		methods = append(methods, stream.StreamName)
	}
	reads := regexp.MustCompile(`^(Get|BatchGet|List|Find|Search|Watch)`)
	ofItself := regexp.MustCompile(`^(RegisterAgent|ApplyAgent|RefreshAgentCard|UpdateAgentMetadata|Heartbeat)$`)
	for _, method := range methods {
		name := "/" + service.ServiceName + "/" + method
		want := auth.Rule{Roles: []auth.Role{auth.RoleAdmin}, Audited: true}
		switch {
		case reads.MatchString(method):
			want = auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent, auth.RoleViewer}}
		case ofItself.MatchString(method):
			want = auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleAgent}, Audited: method != "Heartbeat"}
		}
		if diff := cmp.Diff(want, rules[name]); diff != "" {
			t.Errorf("Rules()[%s] differs (-want +got):\n%s", name, diff)
		}
	}
	if got, want := len(rules), len(methods); got != want {
		t.Errorf("len(Rules()) = %d, want %d", got, want)
	}
}

func TestAnAgentReadsAsItWasRegistered(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	req := card(t, "web", "fetch")
	req.Metadata = &registryv1.AgentMetadata{
		InputSchemas: []*registryv1.InputSchema{{Name: "i", SemanticType: "document", Description: "d", Required: new(true), ValidationRules: []*registryv1.ValidationRule{
			{Type: "enum", Value: structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("x")}}), Message: "m"},
			{Type: "length", Value: structpb.NewNumberValue(7), Message: "m"},
		}}},
		OutputSchemas: []*registryv1.OutputSchema{{Name: "o", SemanticType: "artifact", Description: "d", Guaranteed: new(true)}},
		ConsultationRequirements: []*registryv1.ConsultationRequirement{
			{Id: "r", TargetAgent: "reviewer", Phase: "on-error", Mandatory: new(true), MinLevel: "C3", Condition: &registryv1.ConsultationCondition{Attribute: "a", Operator: "equals", Value: structpb.NewBoolValue(false)}},
			{Id: "q", TargetAgent: "reviewer", Phase: "on-error", Mandatory: new(false), Condition: &registryv1.ConsultationCondition{Attribute: "a", Operator: "exists"}},
		},
	}
	registered := register(ctx, t, s, req)
	got, err := s.GetAgent(ctx, &registryv1.GetAgentRequest{Name: "web"})
	if diff := cmp.Diff(registered, got, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("GetAgent() = %v, difference to RegisterAgent() (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(req.GetMetadata(), got.GetMetadata(), protocmp.Transform()); diff != "" {
		t.Errorf("GetAgent().metadata, difference (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(req.GetCard(), got.GetCard(), protocmp.Transform()); diff != "" {
		t.Errorf("GetAgent().card, difference (-want +got):\n%s", diff)
	}
	body, err := s.GetAgentCard(ctx, &registryv1.GetAgentCardRequest{Name: "web"})
	want := `{"name":"web","skills":[{"description":"d","id":"fetch","name":"Skill fetch","tags":["t"]}],"url":"https://a.example/<rpc>","version":"1.0.0"}`
	if err != nil || string(body.GetData()) != want || body.GetContentType() != "application/json" {
		t.Errorf("GetAgentCard() = %s, %v, want %s", body.GetData(), err, want)
	}
	extra, err := s.GetAgentMetadata(ctx, &registryv1.GetAgentMetadataRequest{Name: "web"})
	if diff := cmp.Diff(req.GetMetadata(), extra, protocmp.Transform(),
		protocmp.IgnoreFields(extra, "agent_name", "version", "created_at", "updated_at")); diff != "" || err != nil {
		t.Errorf("GetAgentMetadata() = %v, difference (-want +got):\n%s", err, diff)
	}
	status, err := s.GetAgentStatus(ctx, &registryv1.GetAgentStatusRequest{Name: "web"})
	if err != nil || status.GetAgentName() != "web" || status.GetStatus() != "unknown" || status.GetErrorMessage() == "" {
		t.Errorf("GetAgentStatus() = %v, %v, want that web is unknown, and why", status, err)
	}
}

func TestAnAnswerSaysWhereACardIsAndWhenALeaseEnds(t *testing.T) {
	t.Parallel()
	s, r := open(t)
	const uri = "https://web.example/card.json"
	raw := []byte(`{"name":"web","version":"1.0.0","url":"https://web.example/"}`)
	if _, _, err := r.Discover(t.Context(), "t", registry.Found{RawCard: raw, CardURI: uri, Source: registry.Source{Type: registry.SourceURLs, Location: uri}}); err != nil {
		t.Fatalf("Discover() = %v, want no error", err)
	}
	lease, err := s.Heartbeat(admin(t), &registryv1.HeartbeatRequest{Name: "web", Status: "available"})
	if err != nil || lease.GetNextHeartbeat().AsDuration() <= 0 {
		t.Fatalf("Heartbeat() = %v, %v, want a time until the next", lease, err)
	}
	got, err := s.GetAgent(admin(t), &registryv1.GetAgentRequest{Name: "web"})
	if err != nil || got.GetCardUri() != uri || lease.GetLeaseExpireTime() == nil || !proto.Equal(lease.GetLeaseExpireTime(), got.GetStatus().GetLeaseExpireTime()) {
		t.Errorf("GetAgent() = %v, %v, want its card at %s, and the end of the lease %v", got, err, uri, lease)
	}
}

func TestAnAgentActsForItselfOnly(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	register(admin(t), t, s, card(t, "other"))
	self := as(t, "t", "self", auth.RoleAgent)
	register(self, t, s, card(t, "self"))
	callers := map[string]struct {
		ctx                       context.Context //nolint:containedctx // who calls is the test's input
		agent                     string
		registers, updates, beats string
		refreshes                 string
	}{
		"an agent for another":       {self, "other", "NOT_YOUR_AGENT", "NOT_YOUR_AGENT", "NOT_YOUR_AGENT", "NOT_YOUR_AGENT"},
		"an agent for itself":        {self, "self", "AGENT_EXISTS", "", "", "CARD_URI_MISSING"},
		"nobody":                     {t.Context(), "self", "TOKEN_MISSING", "TOKEN_MISSING", "TOKEN_MISSING", "TOKEN_MISSING"},
		"an admin of another tenant": {as(t, "u", "root", auth.RoleAdmin), "self", "", "AGENT_NOT_FOUND", "AGENT_NOT_FOUND", "AGENT_NOT_FOUND"},
	}
	for name, c := range callers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, updateErr := s.UpdateAgentMetadata(c.ctx, &registryv1.UpdateAgentMetadataRequest{
				Name: c.agent, Metadata: &registryv1.AgentMetadata{}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"agent_name", "version", "input_schemas"}},
			})
			_, beatErr := s.Heartbeat(c.ctx, &registryv1.HeartbeatRequest{Name: c.agent, Status: "available"})
			_, refreshErr := s.RefreshAgentCard(c.ctx, &registryv1.RefreshAgentCardRequest{Name: c.agent})
			_, registerErr := s.RegisterAgent(c.ctx, card(t, c.agent))
			got := []string{fault.ReasonOf(registerErr), fault.ReasonOf(updateErr), fault.ReasonOf(beatErr), fault.ReasonOf(refreshErr)}
			if diff := cmp.Diff([]string{c.registers, c.updates, c.beats, c.refreshes}, got); diff != "" {
				t.Errorf("register, update, beat and refresh, difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnAgentIsDrainedByAnAdminOfItsTenant(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	register(admin(t), t, s, card(t, "web"))
	drain, resume := &registryv1.DrainAgentRequest{Name: "web", Reason: "a new disk"}, &registryv1.ResumeAgentRequest{Name: "web"}
	for want, ctx := range map[string]context.Context{"AGENT_NOT_FOUND": as(t, "u", "root", auth.RoleAdmin), "TOKEN_MISSING": t.Context()} {
		if got, err := s.DrainAgent(ctx, drain); fault.ReasonOf(err) != want {
			t.Errorf("DrainAgent() = %v, %v, want %s", got, err, want)
		}
		if got, err := s.ResumeAgent(ctx, resume); fault.ReasonOf(err) != want {
			t.Errorf("ResumeAgent() = %v, %v, want %s", got, err, want)
		}
	}
	if got, err := s.DrainAgent(admin(t), drain); err != nil || got.GetAgentName() != "web" || !got.GetDraining() || !strings.HasSuffix(got.GetErrorMessage(), ": a new disk") {
		t.Errorf("DrainAgent() = %v, %v, want web drained for its reason", got, err)
	}
	if got, err := s.ResumeAgent(admin(t), resume); err != nil || got.GetAgentName() != "web" || got.GetDraining() {
		t.Errorf("ResumeAgent() = %v, %v, want web drained no longer", got, err)
	}
}

func TestAHeartbeatIsTakenInFull(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	register(admin(t), t, s, card(t, "web"))
	self := as(t, "t", "web", auth.RoleAgent)
	first, err := s.Heartbeat(self, &registryv1.HeartbeatRequest{Name: "web", Status: "busy", CurrentTaskId: "task-1"})
	if err != nil || first.GetEpoch() != 1 || first.GetDraining() {
		t.Errorf("Heartbeat(busy) = %v, %v, want the first epoch", first, err)
	}
	if got, err := s.GetAgentStatus(self, &registryv1.GetAgentStatusRequest{Name: "web"}); err != nil || got.GetCurrentTaskId() != "task-1" {
		t.Errorf("GetAgentStatus() = %v, %v, want it busy with task-1", got, err)
	}
	if _, err := s.DrainAgent(admin(t), &registryv1.DrainAgentRequest{Name: "web"}); err != nil {
		t.Fatalf("DrainAgent() = %v, want no error", err)
	}
	beat := &registryv1.HeartbeatRequest{Name: "web", Status: "error", ErrorMessage: "no disk", Capacity: 5, InFlight: 2}
	if second, err := s.Heartbeat(self, beat); err != nil || second.GetEpoch() != 2 || !second.GetDraining() {
		t.Errorf("Heartbeat(error) = %v, %v, want the second epoch, and that the agent is drained", second, err)
	}
	got, err := s.GetAgentStatus(self, &registryv1.GetAgentStatusRequest{Name: "web"})
	want := &registryv1.AgentStatus{
		AgentName: "web", Status: "error", ErrorMessage: "no disk", Capacity: 5, InFlight: 2, Epoch: 2, Draining: true,
		LastHeartbeat: got.GetLastHeartbeat(), LeaseExpireTime: got.GetLeaseExpireTime(),
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
		t.Errorf("GetAgentStatus() = %v, differs (-want +got):\n%s", err, diff)
	}
	beat.Epoch = 1
	if got, err := s.Heartbeat(self, beat); fault.ReasonOf(err) != "EPOCH_STALE" {
		t.Errorf("Heartbeat() of a process that was replaced = %v, %v, want EPOCH_STALE", got, err)
	}
}

func TestASilentAgentHasTheReasonInItsStatus(t *testing.T) {
	t.Parallel()
	s := rpc.New(registrytest.New(t, registry.Options{LeaseDuration: 1}), page.New(make([]byte, 32)))
	register(admin(t), t, s, card(t, "web"))
	if _, err := s.Heartbeat(as(t, "t", "web", auth.RoleAgent), &registryv1.HeartbeatRequest{Name: "web", Status: "available"}); err != nil {
		t.Fatalf("Heartbeat() = %v, want no error", err)
	}
	got, err := s.GetAgentStatus(admin(t), &registryv1.GetAgentStatusRequest{Name: "web"})
	if err != nil || got.GetStatus() != "unavailable" || !strings.HasPrefix(got.GetErrorMessage(), "not heard of since "+got.GetLastHeartbeat().AsTime().Format(time.RFC3339)) {
		t.Errorf("GetAgentStatus() behind the lease = %v, %v, want unavailable, and since when", got, err)
	}
}

func TestTheRulesOfAnAgentAreTheAdmins(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	req := card(t, "web")
	req.Metadata = &registryv1.AgentMetadata{AtMostOnceSkills: []string{"pay"}}
	register(admin(t), t, s, req)
	schemas := func(skills ...string) *registryv1.AgentMetadata {
		return &registryv1.AgentMetadata{
			InputSchemas: []*registryv1.InputSchema{{Name: "i", SemanticType: "artifact"}}, OutputSchemas: []*registryv1.OutputSchema{{Name: "o", SemanticType: "artifact"}},
			AtMostOnceSkills: skills,
		}
	}
	for name, test := range map[string]struct {
		mask   []string
		skills []string
		want   string
	}{
		"changed, with no mask":       {nil, nil, "RULES_ARE_THE_ADMINS"},
		"changed, with all fields":    {[]string{"*"}, nil, "RULES_ARE_THE_ADMINS"},
		"changed, among others":       {[]string{"input_schemas", "at_most_once_skills"}, nil, "RULES_ARE_THE_ADMINS"},
		"sent back, and nothing else": {[]string{"at_most_once_skills"}, []string{"pay"}, "RULES_ARE_THE_ADMINS"},
		"sent back, with no mask":     {nil, []string{"pay"}, ""},
	} {
		_, err := s.UpdateAgentMetadata(as(t, "t", "web", auth.RoleAgent), &registryv1.UpdateAgentMetadataRequest{
			Name: "web", UpdateMask: &fieldmaskpb.FieldMask{Paths: test.mask}, Metadata: schemas(test.skills...),
		})
		if fault.ReasonOf(err) != test.want {
			t.Errorf("%s: UpdateAgentMetadata() = %v, want %q", name, err, test.want)
		}
	}
	got, err := s.GetAgentMetadata(admin(t), &registryv1.GetAgentMetadataRequest{Name: "web"})
	if err != nil || len(got.GetInputSchemas()) != 1 || len(got.GetOutputSchemas()) != 1 || len(got.GetAtMostOnceSkills()) != 1 {
		t.Errorf("GetAgentMetadata() = %v, %v, want the agent's own schemas beside the admins' rules", got, err)
	}
}

func TestATokenIsItsAgent(t *testing.T) {
	t.Parallel()
	s, r := open(t)
	ctx := admin(t)
	register(ctx, t, s, card(t, "web"))
	issue := func() string {
		res, err := s.IssueAgentToken(ctx, &registryv1.IssueAgentTokenRequest{Name: "web"})
		if err != nil {
			t.Fatalf("IssueAgentToken() = %v, want no error", err)
		}
		return res.GetToken()
	}
	first, second := issue(), issue()
	tokens := rpc.Tokens(r)
	want := auth.Principal{Tenant: "t", Name: "web", Roles: []auth.Role{auth.RoleAgent}, Credential: auth.CredentialAgent}
	if got, err := tokens.Authenticate(ctx, second); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("Authenticate() = %+v, %v, want %+v", got, err, want)
	}
	if _, err := s.DeleteAgent(ctx, &registryv1.DeleteAgentRequest{Name: "web"}); err != nil {
		t.Fatalf("DeleteAgent() = %v, want no error", err)
	}
	for name, token := range map[string]string{"replaced": first, "of a deleted agent": second, "of another kind": "quorate_admin_x", "empty": ""} {
		if _, err := tokens.Authenticate(ctx, token); fault.ReasonOf(err) != "TOKEN_INVALID" || fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("Authenticate(%s) = %v, want TOKEN_INVALID", name, err)
		}
	}
	if _, err := s.IssueAgentToken(ctx, &registryv1.IssueAgentTokenRequest{Name: "web"}); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("IssueAgentToken() of a deleted agent = %v, want AGENT_NOT_FOUND", err)
	}
}

func TestUpdateMetadataReplacesWhatTheMaskNames(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ctx := admin(t)
	etag := register(ctx, t, s, card(t, "web")).GetEtag()
	output := []*registryv1.OutputSchema{{Name: "o", SemanticType: "artifact"}}
	update := func(etag string, mask *fieldmaskpb.FieldMask, m *registryv1.AgentMetadata) (*registryv1.Agent, error) {
		res, err := s.UpdateAgentMetadata(ctx, &registryv1.UpdateAgentMetadataRequest{Name: "web", Etag: etag, UpdateMask: mask, Metadata: m})
		return res.GetAgent(), err
	}
	first, err := update(etag, nil, &registryv1.AgentMetadata{OutputSchemas: output})
	if err != nil || len(first.GetMetadata().GetOutputSchemas()) != 1 || first.GetEtag() == etag {
		t.Errorf("UpdateAgentMetadata() = %v, %v, want the output and a new etag", first, err)
	}
	second, err := update("", &fieldmaskpb.FieldMask{Paths: []string{"input_schemas"}}, &registryv1.AgentMetadata{})
	if err != nil || len(second.GetMetadata().GetOutputSchemas()) != 1 {
		t.Errorf("UpdateAgentMetadata(input_schemas) = %v, %v, want the output kept", second, err)
	}
	if _, err := update(etag, nil, &registryv1.AgentMetadata{}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("UpdateAgentMetadata(stale etag) = %v, want a conflict", err)
	}
	stale := metadata.NewIncomingContext(ctx, metadata.Pairs("if-match", `"`+etag+`"`))
	if _, err := s.DeleteAgent(stale, &registryv1.DeleteAgentRequest{Name: "web"}); fault.KindOf(err) != fault.Conflict {
		t.Errorf("DeleteAgent(stale If-Match) = %v, want a conflict", err)
	}
	if _, err := s.DeleteAgent(stale, &registryv1.DeleteAgentRequest{Name: "web", Etag: second.GetEtag()}); err != nil {
		t.Errorf("DeleteAgent(etag) = %v, want the request's own etag to win", err)
	}
}

// TestAMappingKeepsItsTypes has no mask, which over REST is made of the fields of the body.
func TestAMappingKeepsItsTypes(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	made, err := s.CreateSemanticMapping(admin(t), &registryv1.CreateSemanticMappingRequest{SemanticMapping: &registryv1.SemanticMapping{FromType: "document", ToType: "comment"}})
	if err != nil {
		t.Fatalf("CreateSemanticMapping() = %v, want no error", err)
	}
	made.Description = "why"
	changed, err := s.UpdateSemanticMapping(admin(t), &registryv1.UpdateSemanticMappingRequest{Name: made.GetName(), SemanticMapping: made})
	if err != nil || changed.GetDescription() != "why" || changed.GetFromType() != "document" || changed.GetToType() != "comment" {
		t.Errorf("UpdateSemanticMapping() with what was read = %v, %v, want its description and its types", changed, err)
	}
	changed.ToType, changed.Description = "artifact", "no"
	if got, err := s.UpdateSemanticMapping(admin(t), &registryv1.UpdateSemanticMappingRequest{Name: made.GetName(), SemanticMapping: changed}); fault.ReasonOf(err) != "MASK_INVALID" {
		t.Errorf("UpdateSemanticMapping() with another type = %v, %v, want MASK_INVALID", got, err)
	}
}

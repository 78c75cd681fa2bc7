package registry_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

func TestRegisterByURL(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	serve := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(body))
		})
	}
	serve("/.well-known/agent-card.json", "application/json", string(named("found")))
	serve("/cards/other", "text/plain", string(named("other")))
	serve("/login", "text/html; charset=utf-8", "<html><p>Please log in")
	serve("/disguised", "application/json", "  <!DOCTYPE html>")
	serve("/large", "application/json", `{"name":"`+strings.Repeat("a", 300<<10)+`"}`)
	serve("/invalid", "application/json", string(named("not-")))
	mux.HandleFunc("/guarded", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	r := open(t, registry.Options{Client: server.Client(), Denied: func(resp *http.Response) string { return "nothing was shown to " + resp.Request.URL.Host }})
	tests := map[string]struct{ uri, agent, reason, text string }{
		"an origin means the well-known path":   {uri: server.URL, agent: "found"},
		"a path is taken as it is":              {uri: server.URL + "/cards/other", agent: "other"},
		"an HTML page is named as such":         {uri: server.URL + "/login", reason: "CARD_NOT_JSON", text: "/login answered HTML, not a card"},
		"an HTML page that says it is JSON too": {uri: server.URL + "/disguised", reason: "CARD_NOT_JSON", text: "answered HTML, not a card"},
		"a page that is not there":              {uri: server.URL + "/nowhere", reason: "CARD_UNREACHABLE", text: "404 Not Found, not a card; the card of an agent there is usually at " + server.URL + "/nowhere/.well-known/agent-card.json"},
		"no card where cards are":               {uri: server.URL + "/.well-known/other.json", reason: "CARD_UNREACHABLE", text: "/.well-known/other.json answered 404 Not Found, not a card"},
		"a page that wants to know who asks":    {uri: server.URL + "/guarded", reason: "CARD_DENIED", text: "HTTP 401, not a card: nothing was shown to 127.0.0.1"},
		"a card that is too large":              {uri: server.URL + "/large", reason: "CARD_TOO_LARGE"},
		"a card that is not valid":              {uri: server.URL + "/invalid", reason: "CARD_INVALID", text: "card.name"},
		"nobody listening":                      {uri: "http://127.0.0.1:1", reason: "CARD_UNREACHABLE", text: "refused"},
		"a URL with a password":                 {uri: "http://u:p@127.0.0.1/", reason: "CARD_URI_INVALID"},
		"a file URL":                            {uri: "file:///etc/passwd", reason: "CARD_URI_INVALID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: test.uri})
			if agent.Name != test.agent || fault.ReasonOf(err) != test.reason {
				t.Fatalf("Register(%s) = %q, %v, want %q, %q", test.uri, agent.Name, err, test.agent, test.reason)
			}
			if err != nil && !strings.Contains(err.Error(), test.text) {
				t.Errorf("Register(%s) = %v, want a message with %q", test.uri, err, test.text)
			}
			if err == nil && (agent.Status.Status != registry.StatusAvailable || agent.Etag == "" || agent.CardURI == "") {
				t.Errorf("Register(%s) = %+v, want it available, with etag and card URI", test.uri, agent)
			}
		})
	}
}

func TestRegisterWithoutAClientReadsNothing(t *testing.T) {
	t.Parallel()
	_, _, err := open(t, registry.Options{}).Register(t.Context(), tenant, registry.Registration{CardURI: "http://127.0.0.1:1"})
	if fault.ReasonOf(err) != "CARD_FETCH_DISABLED" {
		t.Errorf("Register() = %v, want CARD_FETCH_DISABLED", err)
	}
}

func TestRegisterKeepsTheBytes(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	raw := `{ "version":"1.0.0", "name" : "a",` + "\n" + `"url":"http://h/", "unread": "<\u00e4>" }`
	_, warnings, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(raw)})
	if err != nil || len(warnings) != 1 || warnings[0].Code != "SKILLS_EMPTY" {
		t.Fatalf("Register() = %v, %v, want SKILLS_EMPTY and no error", warnings, err)
	}
	if got, err := r.Agent(t.Context(), tenant, "a"); err != nil || string(got.RawCard) != raw {
		t.Errorf("Agent().RawCard = %s, %v, want %s", got.RawCard, err, raw)
	}
}

func TestOneNameIsRegisteredOnce(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	var won, lost atomic.Int32
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			_, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("a", "s")})
			switch {
			case err == nil:
				won.Add(1)
			case fault.ReasonOf(err) == "AGENT_EXISTS" && fault.KindOf(err) == fault.AlreadyExists:
				lost.Add(1)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 || lost.Load() != 31 {
		t.Errorf("Register() won %d times and lost %d times, want 1 and 31", won.Load(), lost.Load())
	}
	if _, _, err := r.Register(t.Context(), "other", registry.Registration{RawCard: named("a")}); err != nil {
		t.Errorf("Register() in another tenant = %v, want no error", err)
	}
}

func TestARetryGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	in := registry.Registration{RawCard: named("a"), RequestID: "1", Caller: "ann"}
	first, warnings, err := r.Register(t.Context(), tenant, in)
	if err != nil || len(warnings) != 1 {
		t.Fatalf("Register() = %v, %v, want one warning", warnings, err)
	}
	time0.pass(time.Hour)
	again, warnings, err := r.Register(t.Context(), tenant, in)
	if err != nil || again.Etag != first.Etag || len(warnings) != 1 {
		t.Errorf("Register() again = %+v, %v, %v, want the first answer", again, warnings, err)
	}
	tests := map[string]struct {
		change func(*registry.Registration)
		reason string
	}{
		"other content is refused":            {func(in *registry.Registration) { in.RawCard = named("b") }, "REQUEST_ID_REUSED"},
		"other metadata is other content":     {func(in *registry.Registration) { in.Metadata = &agentcard.Metadata{} }, "REQUEST_ID_REUSED"},
		"another id is another request":       {func(in *registry.Registration) { in.RequestID = "2" }, "AGENT_EXISTS"},
		"another caller is another request":   {func(in *registry.Registration) { in.Caller = "bob" }, "AGENT_EXISTS"},
		"no id is another request":            {func(in *registry.Registration) { in.RequestID = "" }, "AGENT_EXISTS"},
		"a dry run answers for itself":        {func(in *registry.Registration) { in.ValidateOnly = true }, "AGENT_EXISTS"},
		"neither card nor URL is no question": {func(in *registry.Registration) { in.RawCard = nil }, "VALIDATION_FAILED"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := in
			test.change(&changed)
			if _, _, err := r.Register(t.Context(), tenant, changed); fault.ReasonOf(err) != test.reason {
				t.Errorf("Register() = %v, want %s", err, test.reason)
			}
		})
	}
}

func TestARequestIDIsForgottenAfterADay(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("a"), RequestID: "1"}); err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	time0.pass(24 * time.Hour)
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("b"), RequestID: "1"}); err != nil {
		t.Errorf("Register() a day later = %v, want no error", err)
	}
}

func TestConcurrentRetriesAllGetTheFirstAnswer(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	in := registry.Registration{RawCard: named("a", "s"), RequestID: "1", Caller: "ann"}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if agent, _, err := r.Register(t.Context(), tenant, in); err != nil || agent.Name != "a" {
				t.Errorf("Register() = %q, %v, want a", agent.Name, err)
			}
		})
	}
	group.Wait()
}

// TestARetryThatIsOvertakenGetsTheAnswerOfTheOther has another copy of a request be done after this one has looked whether that is so: before it reads the card,
// and right before it writes.
func TestARetryThatIsOvertakenGetsTheAnswerOfTheOther(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(r *registry.Registry, in registry.Registration) (registry.Agent, error){
		"Register": func(r *registry.Registry, in registry.Registration) (registry.Agent, error) {
			a, _, err := r.Register(t.Context(), tenant, in)
			return a, err
		},
		"Apply": func(r *registry.Registry, in registry.Registration) (registry.Agent, error) {
			done, err := r.Apply(t.Context(), tenant, registry.Application{Registration: in})
			return done.Agent, err
		},
	} {
		for when, at := range map[string]int{"early": 1, "late": 2} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				r, s := openPulseStore(t)
				in := registry.Registration{RawCard: named("a", "s"), RequestID: "1", Caller: "ann"}
				var first registry.Agent
				looks := 0
				var overtake func() error
				overtake = func() (err error) {
					if looks++; looks < at {
						s.asked.Store(&overtake)
						return nil
					}
					first, err = write(r, in)
					return err
				}
				s.asked.Store(&overtake)
				if got, err := write(r, in); err != nil || got.Etag != first.Etag || first.Name != "a" {
					t.Errorf("%s() = %s %s, %v, want %s %s as the other answered", name, got.Name, got.Etag, err, first.Name, first.Etag)
				}
			})
		}
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	agent, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("a", "s"), ValidateOnly: true, RequestID: "1"})
	if err != nil || agent.Name != "a" || agent.Etag == "" {
		t.Errorf("Register() = %+v, %v, want what would be written", agent, err)
	}
	if exists, err := r.AgentExists(t.Context(), tenant, "a"); exists || err != nil {
		t.Errorf("AgentExists() = %v, %v, want false", exists, err)
	}
	register(t, r, "a")
}

func TestAnAgentRegistersUnderItsOwnNameOnly(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	_, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named("a"), OnlyName: "b"})
	if fault.ReasonOf(err) != "NOT_YOUR_AGENT" || fault.KindOf(err) != fault.PermissionDenied || !strings.Contains(err.Error(), `"b"`) || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("Register() = %v, want NOT_YOUR_AGENT with both names", err)
	}
}

// contracted is a card with metadata.
const contracted = `{
  "name": "web-fetch", "version": "1.0.0", "skills": [{"id": "fetch_url"}], "supportedInterfaces": [{"url": "https://a.example/rpc"}],
  "capabilities": {"extensions": [{"uri": "https://github.com/quorate/quorate/extensions/contract/v1", "params": {
    "outputSchemas": [{"name": "text", "semanticType": "document"}],
    "consultationRequirements": [{"id": "safe", "targetAgent": "reviewer", "phase": "pre-completion", "mandatory": true}]
  }}]}
}`

func TestWhatTheAdminSaysWinsOverTheCard(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	_, warnings, err := r.Register(t.Context(), tenant, registry.Registration{
		RawCard: []byte(contracted), Metadata: &agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "x", SemanticType: "artifact"}}},
	})
	if err != nil || len(warnings) != 1 || warnings[0].Code != "CARD_METADATA_IGNORED" {
		t.Fatalf("Register() = %v, %v, want CARD_METADATA_IGNORED", warnings, err)
	}
	got, err := r.Agent(t.Context(), tenant, "web-fetch")
	if err != nil || len(got.Metadata.ConsultationRequirements) != 0 || got.Metadata.OutputSchemas[0].Name != "x" {
		t.Errorf("Agent().Metadata = %+v, %v, want the admin's", got.Metadata, err)
	}
}

func TestWhatTheAdminSaysAsTheCardDoesIsNoWarning(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	registered, first, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(contracted)})
	if err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	_, again, err := r.Register(t.Context(), "another", registry.Registration{RawCard: []byte(contracted), Metadata: &registered.Metadata})
	if err != nil || !slices.Equal(again, first) {
		t.Errorf("Register() with the metadata of the card = %v, %v, want the warnings of the card alone: %v", again, err, first)
	}
}

func TestARuleWithAnUnknownTargetIsAWarning(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	_, warnings, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(contracted)})
	if err != nil || len(warnings) != 1 || warnings[0].Code != "TARGET_AGENT_UNKNOWN" ||
		warnings[0].Field != "metadata.consultation_requirements[0].target_agent" {
		t.Errorf("Register() = %+v, %v, want TARGET_AGENT_UNKNOWN", warnings, err)
	}
}

func TestARuleOfAnUnknownFormatIsAWarning(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	rules := []agentcard.ValidationRule{{Type: "format", Value: "E-Mail", Message: "m"}, {Type: "format", Value: "Email", Message: "m"}, {Type: "pattern", Value: "e-mail", Message: "m"}}
	_, warnings, err := r.Register(t.Context(), tenant, registry.Registration{
		RawCard: []byte(contracted), Metadata: &agentcard.Metadata{InputSchemas: []agentcard.InputSchema{{Name: "to", SemanticType: "document", ValidationRules: rules}}},
	})
	i := slices.IndexFunc(warnings, func(w agentcard.Warning) bool { return w.Code == "FORMAT_UNKNOWN" })
	if err != nil || i < 0 || warnings[i].Field != "metadata.input_schemas[0].validation_rules[0].value" || !strings.Contains(warnings[i].Message, "known are date, date-time, email,") {
		t.Errorf("Register() = %+v, %v, want FORMAT_UNKNOWN of the first rule with the formats that are known", warnings, err)
	}
}

// TestASkillThatIsDoneOnceAndUnknownIsAWarning has a skill id that is misspelt: nothing would keep its work from being done twice.
func TestASkillThatIsDoneOnceAndUnknownIsAWarning(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	a, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(contracted)})
	if err != nil {
		t.Fatalf("Register() = %v, want no error", err)
	}
	once := agentcard.Metadata{AtMostOnceSkills: []string{"*", a.Card.Skills[0].ID, "pya"}}
	_, warnings, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, a.Name, "", nil, once)
	if err != nil || len(warnings) != 1 || warnings[0].Code != "SKILL_NOT_FOUND" || warnings[0].Field != "metadata.at_most_once_skills[2]" {
		t.Errorf("UpdateMetadata() = %+v, %v, want SKILL_NOT_FOUND of the third skill", warnings, err)
	}
}

func TestACardMayCarryTheWholeDocumentOfItsMetadata(t *testing.T) {
	t.Parallel()
	card := func(about string) []byte {
		return []byte(`{"name":"a","version":"1.0.0","url":"https://a.example/","skills":[{"id":"s"}],"capabilities":{"extensions":[{"uri":"` +
			agentcard.ContractExtension + `","params":{` + about + `,"created_at":"2026-01-16T12:00:00Z","output_schemas":[{"name":"x","semantic_type":"artifact"}]}}]}}`)
	}
	r := open(t, registry.Options{})
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: card(`"agent_name":"b"`)}); fault.ReasonOf(err) != "METADATA_INVALID" {
		t.Errorf("Register() with metadata of another agent = %v, want METADATA_INVALID", err)
	}
	a, warnings, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: card(`"agent_name":"a","version":"2.0.0"`)})
	if err != nil || len(warnings) != 1 || warnings[0].Code != "VERSION_MISMATCH" || len(a.Metadata.OutputSchemas) != 1 {
		t.Errorf("Register() with metadata of another version = %+v, %v, %v, want VERSION_MISMATCH", a.Metadata, warnings, err)
	}
}

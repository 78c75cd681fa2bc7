package serve_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/evidencetest"
	"github.com/quorate/quorate/consultation/jaeger/jaegertest"
)

// question is what an agent is sent, as far as the test's agents look at it.
type question struct {
	ID     json.RawMessage
	Params struct {
		Message struct {
			Metadata map[string]json.RawMessage
		}
	}
}

// consultation is what q asks for, as far as a verdict repeats it; ok is false for other messages.
func (q *question) consultation(t *testing.T) (c consultation.Consultation, ok bool) {
	t.Helper()
	word, ok := q.Params.Message.Metadata[consultation.ExtensionURI]
	if !ok {
		return c, false
	}
	var said struct {
		ConsultationID, TaskID, RequirementID, Phase, SourceAgent, TargetAgent, SubjectDigest string
		Attempt                                                                               int
	}
	var parent string
	if err := json.Unmarshal(word, &said); err != nil {
		t.Errorf("reading the consultation = %v", err)
	}
	if err := json.Unmarshal(q.Params.Message.Metadata["traceparent"], &parent); err != nil {
		t.Errorf("reading the traceparent = %v", err)
	}
	ids := strings.Split(parent, "-")
	return consultation.Consultation{
		ID: said.ConsultationID, TaskID: said.TaskID, RequirementID: said.RequirementID, Phase: said.Phase, SourceAgent: said.SourceAgent,
		TargetAgent: said.TargetAgent, Attempt: said.Attempt, SubjectDigest: said.SubjectDigest, TraceID: ids[1], SpanID: ids[2],
	}, true
}

// foreign is an agent that knows nothing of Quorate's receiver: its spans go to Jaeger, where its verdict on a consultation has the outcome, signed
// when it has a key.
func foreign(t *testing.T, name string, j *jaegertest.Jaeger, outcome string, key ed25519.PrivateKey) (url string) {
	t.Helper()
	return doer(t, name, func(q question) {
		if c, ok := q.consultation(t); ok {
			traces := evidencetest.Answer(c, outcome)
			if key != nil {
				traces = evidencetest.SignedAnswer(t, c, outcome, "reviewer-1", key)
			}
			j.Export(t, traces)
		}
	})
}

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatalf("GenerateKey() = %v, want no error", err)
	}
	return private
}

func TestARealJaegerOpensAGateOnlyWhereTheOperatorTakesItsEvidence(t *testing.T) {
	t.Parallel()
	j := jaegertest.Start(t)
	key, stolen := newKey(t), newKey(t)
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		t.Fatal("an Ed25519 key has another public key")
	}
	for name, test := range map[string]struct {
		lowest, outcome string
		key             ed25519.PrivateKey
		state, verdict  string
		level           string
	}{
		"an approval where C1 counts":     {"C1", "approved", nil, "TASK_STATE_COMPLETED", "approved", "C1"},
		"a rejection where C1 counts":     {"C1", "rejected", nil, "TASK_STATE_INPUT_REQUIRED", "rejected", "C1"},
		"an approval where C2 is asked":   {"C2", "approved", nil, "TASK_STATE_INPUT_REQUIRED", "unauthenticated", "C1"},
		"a signed one where C2 is asked":  {"C2", "approved", key, "TASK_STATE_COMPLETED", "approved", "C3"},
		"a signed one where C3 is asked":  {"C3", "approved", key, "TASK_STATE_COMPLETED", "approved", "C3"},
		"a signed no where C3 is asked":   {"C3", "rejected", key, "TASK_STATE_INPUT_REQUIRED", "rejected", "C3"},
		"one that another key has signed": {"C2", "approved", stolen, "TASK_STATE_INPUT_REQUIRED", "unauthenticated", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, admin := config(t)
			c.Agents.AllowLoopback = true
			c.Evidence.JaegerURL, c.Evidence.Lowest = j.Query.String(), test.lowest
			p := start(t, c)
			ask := func(method, path, body string) string {
				t.Helper()
				code, answer := call(t, new(http.Client), method, "http://"+p.addr+path, admin, body)
				if code != http.StatusOK {
					t.Fatalf("%s %s = %d %s, want 200", method, path, code, answer)
				}
				var compact bytes.Buffer // its spaces are the encoder's whim
				if err := json.Compact(&compact, []byte(answer)); err != nil {
					t.Fatalf("%s %s = %s, want JSON", method, path, answer)
				}
				return compact.String()
			}
			ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardUri":%q}`, foreign(t, "reviewer", j, test.outcome, test.key)))
			ask("POST", "/v1/agents:register", fmt.Sprintf(`{"cardUri":%q,"metadata":{"consultationRequirements":[
				{"id":"r","targetAgent":"reviewer","phase":"pre-completion","mandatory":true}]}}`, foreign(t, "coder", j, "", nil)))
			ask("POST", "/v1/signingKeys", fmt.Sprintf(`{"jwk":%s,"agents":["reviewer"]}`,
				`{"kty":"OKP","crv":"Ed25519","kid":"reviewer-1","x":"`+base64.RawURLEncoding.EncodeToString(public)+`"}`))
			var accepted task
			if err := json.Unmarshal([]byte(ask("POST", "/v1/tasks", `{"route":{"agent":"coder"},"message":{"parts":[{"text":"hi"}]}}`)), &accepted); err != nil {
				t.Fatal(err)
			}
			path := "/v1/tasks/" + accepted.ID
			until := func(what string, holds func(told string) bool) {
				t.Helper()
				deadline, ticker := time.After(patience), time.NewTicker(20*time.Millisecond)
				defer ticker.Stop()
				for {
					told := ask("GET", path, "")
					if holds(told) {
						return
					}
					select {
					case <-ticker.C:
					case <-deadline:
						t.Fatalf("the task is not %s after %s: %s", what, patience, told)
					}
				}
			}
			until("blocked", func(told string) bool { return strings.Contains(told, "CONSULTATION_MISSING") })
			ask("POST", path+"/consultations", `{"requirementId":"r"}`)
			until(test.state+" and "+test.verdict, func(told string) bool {
				return strings.Contains(told, test.state) && strings.Contains(told, `"verdict":"`+test.verdict+`"`)
			})
			check := ask("GET", path+":checkConsultations", "")
			wants := []string{`"requiredLevel":"` + test.lowest + `"`}
			if test.level != "" {
				wants = append(wants, `"reachedLevel":"`+test.level+`"`, `"backend":"jaeger"`, `"outcome":"`+test.outcome+`"`)
			}
			for _, want := range wants {
				if !strings.Contains(check, want) {
					t.Errorf("checkConsultations = %s, want %s in it", check, want)
				}
			}
		})
	}
}

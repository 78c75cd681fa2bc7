package legacy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/quorate/quorate/orchestrator/legacy"
)

// parts are of all kinds, with data of all kinds.
const parts = `[{"text":"a text","metadata":{"a":[1,null]}},{"text":""},{"raw":"AAEC/w==","filename":"f.bin","mediaType":"application/octet-stream"},
	{"url":"https://example.com/x.png","filename":"x.png","mediaType":"image/png"},{"data":{"a":{"b":[1,2.5,"x",null,true]}},"metadata":{"m":1}},
	{"data":[1,"two",{"three":3}],"metadata":{"m":1}},{"data":"a text"},{"data":7},{"data":false},{"data":null},{"data":{}},{"data":[]}]`

// TestWhatIsWrittenIsReadAgain has an answer of each kind come out as it was.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	t.Parallel()
	message := `{"messageId":"m","contextId":"c","taskId":"t","role":"ROLE_AGENT","metadata":{"k":{}},"extensions":["urn:x"],"referenceTaskIds":["r"],"parts":` + parts + `}`
	artifact := `{"artifactId":"a","name":"A","description":"d","metadata":{"k":1},"extensions":["urn:x"],"parts":` + parts + `}`
	status := `{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-11-22T11:00:00.123456Z","message":` + message + `}`
	for name, said := range map[string]string{
		"a task":             `{"task":{"id":"t","contextId":"c","status":` + status + `,"history":[` + message + `],"artifacts":[` + artifact + `],"metadata":{"k":[]}}}`,
		"a message":          `{"message":` + message + `}`,
		"a status update":    `{"statusUpdate":{"taskId":"t","contextId":"c","status":` + status + `,"metadata":{"k":1}}}`,
		"an artifact update": `{"artifactUpdate":{"taskId":"t","contextId":"c","append":true,"lastChunk":true,"artifact":` + artifact + `}}`,
	} {
		want := &a2apb.StreamResponse{}
		if err := protojson.Unmarshal([]byte(said), want); err != nil {
			t.Fatal(err)
		}
		before := proto.CloneOf(want)
		raw, err := legacy.Event(want, true)
		if err != nil {
			t.Fatalf("Event(%s) = %v", name, err)
		}
		got, err := legacy.ReadEvent(raw)
		if diff := cmp.Diff(want, got, protocmp.Transform()); err != nil || diff != "" {
			t.Errorf("%s came back with %v and the differences %s", name, err, diff)
		}
		if diff := cmp.Diff(before, want, protocmp.Transform()); diff != "" {
			t.Errorf("Event(%s) changed it: %s", name, diff)
		}
	}
}

// TestDataThatIsNoObjectStandsInOne looks at what a client of 0.3 gets, where data is an object.
func TestDataThatIsNoObjectStandsInOne(t *testing.T) {
	t.Parallel()
	raw, err := legacy.Event(task(`{"data":[1]}`), false)
	const want = `{"data":{"value":[1]},"kind":"data","metadata":{"data_part_compat":true}}`
	if err != nil || !strings.Contains(sorted(t, raw), want) {
		t.Errorf("Event() = %s, %v, want the part %s", raw, err, want)
	}
}

// TestAgentsGetTheNamesOfTextAndData has a question go to a reviewer, who needs them for the digest.
func TestAgentsGetTheNamesOfTextAndData(t *testing.T) {
	t.Parallel()
	req := &a2apb.SendMessageRequest{}
	const list = `{"text":"a","mediaType":"text/markdown","filename":"a.md"},{"data":{},"mediaType":"x/y","metadata":{"mediaType":"mine","note":1}},{"text":"b"},{"raw":"AA==","filename":"f"}`
	if err := protojson.Unmarshal([]byte(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[`+list+`]}}`), req); err != nil {
		t.Fatal(err)
	}
	before := proto.Clone(req)
	raw, err := legacy.SendParams(req)
	const want = `"parts":[{"kind":"text","metadata":{"filename":"a.md","mediaType":"text/markdown"},"text":"a"},{"data":{},"kind":"data","metadata":{"mediaType":"mine","note":1}},` +
		`{"kind":"text","text":"b"},{"file":{"bytes":"AA==","name":"f"},"kind":"file"}]`
	if err != nil || !strings.Contains(sorted(t, raw), want) {
		t.Errorf("SendParams() = %s, %v, want %s", raw, err, want)
	}
	if !proto.Equal(before, req) {
		t.Errorf("SendParams() changed its message to %v", req)
	}
}

// TestWhatLacksSomethingIsStillShown has an agent leave out what both versions ask for. A client of 0.3 still sees its task.
func TestWhatLacksSomethingIsStillShown(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{"a part without content": `{"metadata":{"a":1}},{"text":"x"}`, "an empty URL": `{"url":""},{"text":"x"}`, "all is there": `{"text":"x"}`} {
		raw, err := legacy.Event(task(part), false)
		if err != nil || !strings.Contains(sorted(t, raw), `"parts":[{"kind":"text","text":"x"}]`) {
			t.Errorf("Event(%s) = %s, %v, want the part that is one", name, raw, err)
		}
	}
}

// task is one with a message that has no id and no role.
func task(part string) *a2apb.Task {
	task := &a2apb.Task{}
	said := fmt.Sprintf(`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED","message":{"parts":[%s]}},"artifacts":[{"parts":[%s]}]}`, part, part)
	if err := protojson.Unmarshal([]byte(said), task); err != nil {
		panic(err)
	}
	return task
}

// sorted returns JSON with its names in order.
func sorted(t *testing.T, raw []byte) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(again)
}

// TestFilesAreReadAsTheirSendersMeantThem has agents send files in forms that a2a-go's types of 0.3 do not take, or take for something else.
func TestFilesAreReadAsTheirSendersMeantThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"an empty file":        {`{"name":"__init__.py","bytes":""}`, ""},
		"base64":               {`{"bytes":"+/8="}`, "\xfb\xff"},
		"without padding":      {`{"bytes":"+/8"}`, "\xfb\xff"},
		"the alphabet of URLs": {`{"bytes":"-_8="}`, "\xfb\xff"},
		"neither":              {`{"bytes":"not base64!"}`, "not base64!"},
	} {
		part := `{"kind":"file","file":` + test.file + `}`
		data := `{"kind":"data","data":{"kind":"file","file":{"bytes":""},"n":12345678901234567}}`
		message := `{"kind":"message","messageId":"m","role":"agent","parts":[` + part + `,` + data + `]}`
		task := `{"kind":"task","id":"t","contextId":"c","status":{"state":"completed","message":` + message + `},"history":[` + message + `],"artifacts":[{"artifactId":"a","parts":[` + part + `,` + data + `]}]}`
		read := map[string][]*a2apb.Part{}
		if r, err := legacy.ReadEvent([]byte(message)); err != nil {
			t.Errorf("ReadEvent(%s) = %v", name, err)
		} else {
			read["a message"] = r.GetMessage().GetParts()
		}
		if x, err := legacy.ReadTask([]byte(task)); err != nil {
			t.Errorf("ReadTask(%s) = %v", name, err)
		} else {
			read["an artifact"], read["the history"], read["the status"] = x.GetArtifacts()[0].GetParts(), x.GetHistory()[0].GetParts(), x.GetStatus().GetMessage().GetParts()
		}
		for where, list := range read {
			raw, is := list[0].GetContent().(*a2apb.Part_Raw)
			if !is || string(raw.Raw) != test.want {
				t.Errorf("%s in %s = %v, want the bytes %q", name, where, list[0], test.want)
			}
			if got := list[1].GetData().GetStructValue().GetFields()["file"].GetStructValue().GetFields()["bytes"]; got.GetStringValue() != "" {
				t.Errorf("the data beside %s in %s has %v, want it as it was", name, where, got)
			}
		}
	}
}

// TestAnswersAreReadAsTheyAreMeant has answers as servers in use give them, which say nothing else than the one that follows 0.3.
func TestAnswersAreReadAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	const (
		task  = `{"kind":"task","id":"t","contextId":"c","status":{"state":"input-required","timestamp":"2026-12-01T12:00:00Z","message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}},"artifacts":[{"artifactId":"a","parts":[{"kind":"data","data":{"state":"COMPLETED","text":"y"}},{"kind":"file","file":{"uri":"https://a.example/f"}}]}]}`
		state = `{"kind":"status-update","taskId":"t","contextId":"c","final":true,"status":{"state":"completed","timestamp":"2026-12-01T12:00:00Z"}}`
		piece = `{"kind":"artifact-update","taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"x"}]}}`
		words = `{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"x"}]}`
	)
	unkind := strings.NewReplacer(`"kind":"task",`, "", `"kind":"status-update",`, "", `"kind":"artifact-update",`, "", `"kind":"message",`, "", `"kind":"text",`, "", `"kind":"data",`, "", `"kind":"file",`, "")
	modern := strings.NewReplacer(`"state":"input-required"`, `"state":"TASK_STATE_INPUT_REQUIRED"`, `"state":"completed"`, `"state":"TASK_STATE_COMPLETED"`, `"role":"agent"`, `"role":"ROLE_AGENT"`)
	underscore := strings.NewReplacer(`"state":"input-required"`, `"state":"input_required"`, `"state":"completed"`, `"state":"COMPLETED"`)
	naive := strings.NewReplacer(`"timestamp":"2026-12-01T12:00:00Z"`, `"timestamp":"2026-12-01T12:00:00.123456"`)
	number := strings.NewReplacer(`"timestamp":"2026-12-01T12:00:00Z"`, `"timestamp":1796126400`)
	timeless := strings.NewReplacer(`"timestamp":"2026-12-01T12:00:00Z",`, "", `,"timestamp":"2026-12-01T12:00:00Z"`, "")
	for _, right := range []string{task, state, piece, words} {
		want, err := legacy.ReadEvent([]byte(right))
		if err != nil {
			t.Fatalf("ReadEvent(%s) = %v", right, err)
		}
		same := []string{unkind.Replace(right), modern.Replace(right), underscore.Replace(right), unkind.Replace(modern.Replace(right))}
		for _, odd := range same {
			if got, err := legacy.ReadEvent([]byte(odd)); err != nil || !proto.Equal(got, want) {
				t.Errorf("ReadEvent(%s) = %v, %v, want %v", odd, got, err, want)
			}
		}
		if want, err = legacy.ReadEvent([]byte(timeless.Replace(right))); err != nil {
			t.Fatalf("ReadEvent(%s) without times = %v", right, err)
		}
		for _, odd := range []string{naive.Replace(right), number.Replace(right)} {
			if got, err := legacy.ReadEvent([]byte(odd)); odd != right && (err != nil || !proto.Equal(got, want)) {
				t.Errorf("ReadEvent(%s) = %v, %v, want %v", odd, got, err, want)
			}
		}
	}
	want, err := legacy.ReadTask([]byte(task))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := legacy.ReadTask([]byte(unkind.Replace(modern.Replace(task)))); err != nil || !proto.Equal(got, want) {
		t.Errorf("ReadTask() = %v, %v, want %v", got, err, want)
	}
}

// TestAStatusMayHaveATextAsItsMessage has a task and an update whose status has no message but a text.
func TestAStatusMayHaveATextAsItsMessage(t *testing.T) {
	t.Parallel()
	const status = `"status":{"state":"failed","message":"no such city"}`
	update, err := legacy.ReadEvent([]byte(`{"kind":"status-update","taskId":"t","contextId":"c","final":true,` + status + `}`))
	if err != nil {
		t.Fatal(err)
	}
	task, err := legacy.ReadTask([]byte(`{"kind":"task","id":"t","contextId":"c",` + status + `}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &a2apb.Message{Role: a2apb.Role_ROLE_AGENT, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "no such city"}}}}
	for _, got := range []*a2apb.Message{update.GetStatusUpdate().GetStatus().GetMessage(), task.GetStatus().GetMessage()} {
		if !proto.Equal(got, want) {
			t.Errorf("the message of the status is %v, want %v", got, want)
		}
	}
}

func TestAnAnswerThatMeansNothingIsNotRead(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{`{"kind":"poem"}`, `{}`, `[]`, `{"id":"t"}`} {
		if got, err := legacy.ReadEvent([]byte(broken)); err == nil {
			t.Errorf("ReadEvent(%s) = %v, want an error", broken, got)
		}
	}
}

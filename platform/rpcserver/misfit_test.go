package rpcserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestAValueThatDoesNotFitIsNamedWithItsField sends values of the wrong form, where errors of protojson named neither the field nor the right form.
func TestAValueThatDoesNotFitIsNamedWithItsField(t *testing.T) {
	t.Parallel()
	const duration, instant = ` is not a duration; write seconds and an s, such as "5s" or "0.5s"`, ` is not a time; write date, time and zone, such as "2026-01-16T12:00:00Z"`
	r := start(t, nil)
	for body, want := range map[string][2]string{ // the field and what is wrong with it
		`{"loan":5}`:                                 {"loan", "5" + duration},
		`{"loan":"5"}`:                               {"loan", `"5"` + duration},
		`{"loan":"5m"}`:                              {"loan", `"5m"` + duration},
		`{"loan":"1h30m"}`:                           {"loan", `"1h30m"` + duration},
		`{"loan":"5 s"}`:                             {"loan", `"5 s"` + duration},
		`{"loan":"5,5s"}`:                            {"loan", `"5,5s"` + duration},
		`{"loan":"PT5S"}`:                            {"loan", `"PT5S"` + duration},
		`{"loan":""}`:                                {"loan", `""` + duration},
		`{"loan":true}`:                              {"loan", "true" + duration},
		`{"loan":{"seconds":5}}`:                     {"loan", `{"seconds":5}` + duration},
		`{"loan":[5]}`:                               {"loan", "[5]" + duration},
		`{"loan":"9999999999999s"}`:                  {"loan", `"9999999999999s" is out of range for a duration`},
		`{"due":"tomorrow"}`:                         {"due", `"tomorrow"` + instant},
		`{"due":"2026-11-21"}`:                       {"due", `"2026-11-21"` + instant},
		`{"due":"2026-11-21 10:00:00"}`:              {"due", `"2026-11-21 10:00:00"` + instant},
		`{"due":"2026-11-21T10:00:00"}`:              {"due", `"2026-11-21T10:00:00"` + instant},
		`{"due":"2026-13-01T00:00:00Z"}`:             {"due", `"2026-13-01T00:00:00Z"` + instant},
		`{"due":1763719200}`:                         {"due", "1763719200" + instant},
		`{"returned":["2026-01-16T12:00:00Z","no"]}`: {"returned[1]", `"no"` + instant},
		`{"returned":"2026-01-16T12:00:00Z"}`:        {"returned", `"2026-01-16T12:00:00Z" is not a list`},
		`{"book":{"name":7}}`:                        {"book.name", "7 is not a string"},
		`{"book":[]}`:                                {"book", "[] is not an object"},
		`{"others":[{},{"name":7}]}`:                 {"others[1].name", "7 is not a string"},
		`{"others":[5]}`:                             {"others[0]", "5 is not an object"},
		`{"others":{}}`:                              {"others", "{} is not a list"},
		`{"requestId":{}}`:                           {"request_id", "{} is not a string"},
		`{"requestId":"a","due":"x","loan":"1s"}`:    {"due", `"x"` + instant},
		"{\"loan\":{\n  \"seconds\": 5\n}}":          {"loan", `{"seconds":5}` + duration},
		`{"requestId":{},"due":"x"}`:                 {"request_id", "{} is not a string"},
		`{"source":{"shop":"a","donor":"b"}}`:        {"source.donor", "there may be one of shop and donor, and shop is there already"},
		`{"source":{"donor":"a","shop":"b"},"x":1}`:  {"source.shop", "there may be one of shop and donor, and donor is there already"},
		`{"source":{"cover":"hard"}}`:                {"source.cover", `"hard" is not one of COVER_HARD, COVER_SOFT`},
		`{"source":{"shop":null,"donor":7}}`:         {"source.donor", "7 is not a string"},
		`{"tags":["a",5]}`:                           {"tags[1]", "5 is not a string"},
		`{"labels":["a"]}`:                           {"labels", `["a"] is not an object`},
		`{"requestId":"a","request_id":"b"}`:         {"request_id", "the field occurs twice"},
		`{"book":{"name":"a"},"book":null}`:          {"book", "the field occurs twice"},
		`{"others":[{},{"etag":"a","etag":"b"}]}`:    {"others[1].etag", "the field occurs twice"},
		`{"shelfPlace":1}`:                           {"shelfPlace", `unknown field "shelfPlace"; CreateBookRequest has book, requestId, loan, due, returned, note, others, source, tags, labels`},
		`{"others":[{},{"na-me":"a"}]}`:              {"others[1].na-me", `unknown field "na-me"; Book has name, etag, sequence`},
		`{"loan":"` + strings.Repeat("x", 58) + `"}`: {"loan", `"` + strings.Repeat("x", 58) + `"` + duration},
		`{"loan":"` + strings.Repeat("x", 99) + `"}`: {"loan", `"` + strings.Repeat("x", 59) + "…" + duration},
	} {
		resp, answer := r.do(t, "POST", "/v1/books", body, nil)
		var e struct {
			Message string
			Details []struct {
				FieldViolations []struct{ Field, Description string }
			}
		}
		if err := json.Unmarshal([]byte(answer), &e); err != nil || resp.StatusCode != http.StatusBadRequest {
			t.Fatalf("POST %s = %d %s, want 400", body, resp.StatusCode, answer)
		}
		var got [2]string
		for _, d := range e.Details {
			for _, v := range d.FieldViolations {
				got = [2]string{v.Field, v.Description}
			}
		}
		if got != want || !strings.HasSuffix(e.Message, want[0]+": "+want[1]) {
			t.Errorf("POST %s = %s, %q, want %q in the details and in the message", body, answer, got, want)
		}
	}
}

// TestWhatIsWrongFirstIsSaidWithItsPlace has a value that does not fit behind something else that is wrong, which protojson met and whose place it says.
func TestWhatIsWrongFirstIsSaidWithItsPlace(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for body, want := range map[string]string{
		`{"note":1e999}`:                              `line 1:9: invalid google.protobuf.Value`,
		`{"nope":1,"loan":5}`:                         `line 1:2: nope: unknown field \"nope\"; CreateBookRequest has book, requestId, loan, due, returned, note, others, source, tags, labels"`,
		`{"book":{"nope":1,"name":7}}`:                `line 1:10: book.nope: unknown field \"nope\"; Book has name, etag, sequence"`,
		`{"others":[{},{"nope":1}]}`:                  `line 1:16: others[1].nope: unknown field \"nope\"; Book has name, etag, sequence"`,
		`{"source":{"shelf":1}}`:                      `line 1:12: source.shelf: unknown field \"shelf\"; Source has shop, donor, shelfPlace, kind, cover"`,
		`{"source":{"shop":"a","shop":"b"},"nope":1}`: `line 1:23: source.shop: the field occurs twice"`,
		`{"a: b":1}`:                                  `line 1:2: a: b: unknown field`,
		"{\"requestId\":{},\n\"book\":{\"name\":7}}":  `line 1:14: request_id: {}`,
	} {
		if resp, answer := r.do(t, "POST", "/v1/books", body, nil); resp.StatusCode != http.StatusBadRequest || !strings.Contains(answer, want) {
			t.Errorf("POST %s = %d %s, want 400 and %s", body, resp.StatusCode, answer, want)
		}
	}
}

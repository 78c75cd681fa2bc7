package agentcard_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
)

// cardV1 is a v1.0 card with everything that is read.
const cardV1 = `{
  "name": "web-fetch", "description": "Fetches pages", "version": "1.2.0-rc.1+b7",
  "supportedInterfaces": [
    {"url": "127.0.0.1:9000", "protocolBinding": "GRPC", "protocolVersion": "1.0", "tenant": "x"},
    {"url": "https://a.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
    {"url": "https://a.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
  ],
  "capabilities": {"streaming": true, "pushNotifications": true, "extensions": [
    {"uri": "https://example.com/other", "required": true, "params": {"deduplicates": true}},
    {"uri": "https://github.com/quorate/quorate/extensions/contract/v1", "params": {
      "inputSchemas": [{"name": "page", "semanticType": "reference", "required": true,
        "validationRules": [{"type": "pattern", "value": "^https?://", "message": "a URL"}]}],
      "output_schemas": [{"name": "text", "semantic_type": "document", "guaranteed": true}],
      "consultationRequirements": [{"id": "safe", "targetAgent": "reviewer", "phase": "pre-completion", "mandatory": true,
        "condition": {"attribute": "handling_sensitive_data", "operator": "equals", "value": {"keptAsIs": true}}}]
    }}
  ]},
  "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/markdown"],
  "skills": [{"id": "fetch_url", "name": "Fetch", "description": "Fetches", "tags": ["web"], "examples": ["Fetch x"],
    "inputModes": ["a"], "outputModes": ["b"]}],
  "provider": {"organization": "unread"}
}`

const cardV03 = `{
  "name": "old", "description": "d", "version": "0.1.0", "protocolVersion": "0.3.0",
  "url": "http://127.0.0.1:1/a", "additionalInterfaces": [
    {"url": "http://127.0.0.1:1/a", "transport": "JSONRPC"}, {"url": "http://127.0.0.1:1/rest", "transport": "HTTP+JSON"}],
  "capabilities": {"streaming": false, "stateTransitionHistory": true}, "defaultInputModes": ["text"], "defaultOutputModes": ["text"],
  "skills": [{"id": "s", "name": "S", "description": "d", "tags": []}]
}`

func TestParseReadsBothVersions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		raw      string
		want     agentcard.Card
		metadata *agentcard.Metadata
	}{
		"a v1.0 card with metadata": {
			raw: cardV1,
			want: agentcard.Card{
				Name: "web-fetch", Description: "Fetches pages", Version: "1.2.0-rc.1+b7", Streaming: true, PushNotifications: true,
				Interfaces: []agentcard.Interface{
					{URL: "127.0.0.1:9000", Binding: "GRPC", Tenant: "x", ProtocolVersion: "1.0"},
					{URL: "https://a.example/rpc", Binding: "JSONRPC", ProtocolVersion: "1.0"},
					{URL: "https://a.example/rest", Binding: "HTTP+JSON", ProtocolVersion: "1.0"},
				},
				Extensions: []agentcard.Extension{
					{URI: "https://example.com/other", Required: true, Params: map[string]any{"deduplicates": true}},
					{URI: agentcard.ContractExtension},
				},
				DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/markdown"},
				Skills: []agentcard.Skill{{
					ID: "fetch_url", Name: "Fetch", Description: "Fetches", Tags: []string{"web"}, Examples: []string{"Fetch x"},
					InputModes: []string{"a"}, OutputModes: []string{"b"},
				}},
			},
			metadata: &agentcard.Metadata{
				InputSchemas: []agentcard.InputSchema{{Name: "page", SemanticType: "reference", Required: true, ValidationRules: []agentcard.ValidationRule{
					{Type: "pattern", Value: "^https?://", Message: "a URL"},
				}}},
				OutputSchemas: []agentcard.OutputSchema{{Name: "text", SemanticType: "document", Guaranteed: true}},
				ConsultationRequirements: []agentcard.ConsultationRequirement{{
					ID: "safe", TargetAgent: "reviewer", Phase: "pre-completion", Mandatory: true,
					Condition: &agentcard.Condition{Attribute: "handling_sensitive_data", Operator: "equals", Value: map[string]any{"keptAsIs": true}},
				}},
			},
		},
		"a v0.3 card, whose main interface is repeated": {
			raw: cardV03,
			want: agentcard.Card{
				Name: "old", Description: "d", Version: "0.1.0",
				Interfaces: []agentcard.Interface{
					{URL: "http://127.0.0.1:1/a", Binding: "JSONRPC", ProtocolVersion: "0.3.0"},
					{URL: "http://127.0.0.1:1/rest", Binding: "HTTP+JSON", ProtocolVersion: "0.3.0"},
				},
				DefaultInputModes: []string{"text"}, DefaultOutputModes: []string{"text"},
				Skills: []agentcard.Skill{{ID: "s", Name: "S", Description: "d"}},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, metadata, warnings, err := agentcard.Parse([]byte(test.raw))
			if err != nil || len(warnings) > 0 || cmp.Diff(test.want, got) != "" || cmp.Diff(test.metadata, metadata) != "" {
				t.Errorf("Parse() = %v, %v, card (-want +got):\n%s\nmetadata:\n%s", warnings, err,
					cmp.Diff(test.want, got), cmp.Diff(test.metadata, metadata))
			}
		})
	}
}

// card returns a valid card with one part replaced.
func card(old, replacement string) string {
	return strings.Replace(`{"name":"a","version":"1.0.0","supportedInterfaces":[{"url":"http://h/","protocolBinding":"JSONRPC"}],"skills":[{"id":"s"}]}`, old, replacement, 1)
}

// TestParseSaysWhereTheCardIsNoJSON has mistakes such as those who write cards in an editor make.
func TestParseSaysWhereTheCardIsNoJSON(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ raw, want string }{
		"a comma at the end":     {"{\n  \"name\": \"a\",\n}", "the card is not valid JSON, line 3:1: invalid character '}'"},
		"a word without quotes":  {"{\n  \"é\": oops\n}", "the card is not valid JSON, line 2:8: invalid character 'o'"},
		"nothing at all":         {"", "the card is not valid JSON: it ends too early"},
		"a missing brace":        {"{\n  \"name\": \"a\"\n", "the card is not valid JSON, line 2:14: it ends too early"},
		"a second value":         {"{}\n{}", "the card is not valid JSON, line 2:1: there is more after the object's end"},
		"a number out of range":  {`{"x": 1e999}`, "the card is not valid JSON: the number 1e999 is too large"},
		"a key that is a number": {"{\n7: 1}", "the card is not valid JSON, line 2:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, _, err := agentcard.Parse([]byte(test.raw)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("Parse(%q) = %v, want %s", test.raw, err, test.want)
			}
		})
	}
}

func TestParseRefusesWithTheField(t *testing.T) {
	t.Parallel()
	contract := `"skills":[{"id":"s"}],"capabilities":{"extensions":[{"uri":"` + agentcard.ContractExtension + `","params":PARAMS}]}`
	withParams := func(params string) string {
		return card(`"skills":[{"id":"s"}]`, strings.Replace(contract, "PARAMS", params, 1))
	}
	tests := map[string]struct{ raw, reason, field string }{
		"an HTML page":                   {" \n<!doctype html><p>login", "CARD_NOT_JSON", "card"},
		"nothing":                        {"", "CARD_NOT_JSON", "card"},
		"half a card":                    {`{"name":"a"`, "CARD_NOT_JSON", "card"},
		"a list":                         {`[]`, "CARD_NOT_JSON", "card"},
		"two values":                     {card("", "") + "{}", "CARD_NOT_JSON", "card"},
		"invalid UTF-8":                  {card(`"a"`, "\"a\xff\""), "CARD_NOT_JSON", "card"},
		"half a surrogate pair":          {card(`"a"`, `"a","description":"\ud83d"`), "CARD_NOT_JSON", "card"},
		"the other half":                 {card(`"skills"`, `"x":{"\uDE00":1},"skills"`), "CARD_NOT_JSON", "card"},
		"a number out of range":          {card(`"skills"`, `"x":1e999,"skills"`), "CARD_NOT_JSON", "card"},
		"a key that occurs twice":        {card(`"version"`, `"name":"b","version"`), "CARD_DUPLICATE_KEY", "card"},
		"a key that occurs twice, below": {card(`{"id":"s"}`, `{"id":"s","x":{"y":1,"y":2}}`), "CARD_DUPLICATE_KEY", "card"},
		"deep nesting":                   {strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "CARD_TOO_DEEP", "card"},
		"very deep nesting":              {strings.Repeat("[", 200_000), "CARD_TOO_DEEP", "card"},
		"more than 256 KiB":              {card(`"a"`, `"`+strings.Repeat("a", 256<<10)+`"`), "CARD_TOO_LARGE", "card"},
		"no name":                        {card(`"name":"a",`, ""), "CARD_INVALID", "card.name"},
		"a name in other letter case":    {card(`"name"`, `"Name"`), "CARD_INVALID", "card.name"},
		"a name with a space":            {card(`"a"`, `"web fetch"`), "CARD_INVALID", "card.name"},
		"a name with 65 characters":      {card(`"a"`, `"`+strings.Repeat("a", 65)+`"`), "CARD_INVALID", "card.name"},
		"a name that is a number":        {card(`"a"`, `7`), "CARD_INVALID", "card.name"},
		"a version that is not semantic": {card("1.0.0", "1.0"), "CARD_INVALID", "card.version"},
		"a version with a v":             {card("1.0.0", "v1.0.0"), "CARD_INVALID", "card.version"},
		"no interface":                   {card(`[{"url":"http://h/","protocolBinding":"JSONRPC"}]`, "[]"), "CARD_INVALID", "card.supportedInterfaces"},
		"only a relative URL":            {card("http://h/", "/rpc"), "CARD_INVALID", "card.supportedInterfaces[0].url"},
		"only a URL with a password":     {card("http://h/", "http://u:p@h/"), "CARD_INVALID", "card.supportedInterfaces[0].url"},
		"only a file URL":                {card("http://h/", "file:///etc/passwd"), "CARD_INVALID", "card.supportedInterfaces[0].url"},
		"only a port that is none":       {card("http://h/", "http://h:99999/"), "CARD_INVALID", "card.supportedInterfaces[0].url"},
		"only the port 0":                {card("http://h/", "http://h:0/"), "CARD_INVALID", "card.supportedInterfaces[0].url"},
		"host:port for JSON-RPC":         {card("http://h/", "h:80"), "CARD_INVALID", "card.supportedInterfaces[0].url"},
		"a skill without an id":          {card(`{"id":"s"}`, `{"name":"s"}`), "CARD_INVALID", "card.skills[0].id"},
		"a skill id that occurs twice":   {card(`{"id":"s"}`, `{"id":"s"},{"id":"s"}`), "CARD_INVALID", "card.skills[1].id"},
		"a skill that is a string":       {card(`{"id":"s"}`, `"s"`), "CARD_INVALID", "card.skills[0]"},
		"a skill id of 257 characters":   {card(`{"id":"s"}`, `{"id":"`+strings.Repeat("é", 257)+`"}`), "CARD_INVALID", "card.skills[0].id"},
		"a tag that is a number":         {card(`{"id":"s"}`, `{"id":"s","tags":["t",7]}`), "CARD_INVALID", "card.skills[0].tags[1]"},
		"only a URL of 2,049 bytes":      {card("http://h/", "http://h/"+strings.Repeat("x", 2040)), "CARD_INVALID", "card.supportedInterfaces[0].url"},
		"metadata twice":                 {card(`"skills":[{"id":"s"}]`, `"skills":[{"id":"s"}],"capabilities":{"extensions":[{"uri":"`+agentcard.ContractExtension+`"},{"uri":"`+agentcard.ContractExtension+`"}]}`), "CARD_INVALID", "card.capabilities.extensions[1].uri"},
		"a tag of 257 characters":        {card(`{"id":"s"}`, `{"id":"s","tags":["t","`+strings.Repeat("é", 257)+`"]}`), "CARD_INVALID", "card.skills[0].tags"},
		"1,001 tags":                     {card(`{"id":"s"}`, `{"id":"s","tags":[`+manyTags(1001)+`]}`), "CARD_INVALID", "card.skills"},
		"501 skills":                     {card(`{"id":"s"}`, strings.Repeat(`{},`, 500)+"{}"), "CARD_INVALID", "card.skills"},
		"capabilities of the wrong type": {card(`"skills"`, `"capabilities":[],"skills"`), "CARD_INVALID", "card.capabilities"},
		"metadata with a misspelt field": {withParams(`{"consultationRequirements":[{"id":"r","mandatry":true}]}`), "CARD_INVALID", "card.capabilities.extensions[0].params"},
		"metadata with a name in two spellings": {
			withParams(`{"inputSchemas":[],"input_schemas":[]}`), "CARD_INVALID", "card.capabilities.extensions[0].params",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, _, err := agentcard.Parse([]byte(test.raw))
			f := fault.From(err)
			if err == nil || f.Kind != fault.InvalidArgument || f.Reason != test.reason || len(f.Violations) == 0 || f.Violations[0].Field != test.field {
				t.Errorf("Parse() = %v (%+v), want %s about %s", err, f, test.reason, test.field)
			}
		})
	}
}

func TestWhatIsWrongWithACardIsSaidInItsOwnWords(t *testing.T) {
	t.Parallel()
	params := func(params string) string {
		return `{"name":"a","version":"1.0.0","url":"http://h/","capabilities":{"extensions":[{"uri":"` + agentcard.ContractExtension + `","params":` + params + `}]}}`
	}
	for name, test := range map[string]struct{ raw, want string }{
		"schemas in a string":        {params(`{"input_schemas":"x"}`), `"input_schemas" is of type string, where a list is expected`},
		"a schema that is a list":    {params(`{"input_schemas":[[]]}`), `"input_schemas" is of type array, where an object is expected`},
		"a name that is a number":    {params(`{"outputSchemas":[{"name":5}]}`), `"output_schemas.name" is of type number, where a string is expected`},
		"mandatory that is a string": {params(`{"consultation_requirements":[{"mandatory":"yes"}]}`), `"consultation_requirements.mandatory" is of type string, where true or false is expected`},
		"an unknown field":           {params(`{"inputs":[]}`), `unknown field "inputs"`},
		"no name":                    {`{"version":"1.0.0","url":"http://h/"}`, "card.name: a card's name has 1 to 256 characters"},
	} {
		if _, _, _, err := agentcard.Parse([]byte(test.raw)); err == nil || !strings.HasSuffix(fault.From(err).Message, test.want) {
			t.Errorf("Parse() of a card with %s = %v, want %s", name, err, test.want)
		}
	}
}

// TestWhatIsWrongWithACardIsSaidInShort has cards that are wrong at great length: the message goes to callers and into the log.
func TestWhatIsWrongWithACardIsSaidInShort(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"a long number":        card(`"skills"`, `"x":1`+strings.Repeat("0", 200_000)+`,"skills"`),
		"a long unknown field": card(`"skills"`, `"capabilities":{"extensions":[{"uri":"`+agentcard.ContractExtension+`","params":{"`+strings.Repeat("x", 200_000)+`":1}}]},"skills"`),
	} {
		_, _, _, err := agentcard.Parse([]byte(raw))
		f := fault.From(err)
		if err == nil || len(f.Message) > 1000 || len(f.Violations) != 1 || len(f.Violations[0].Description) > 1000 {
			t.Errorf("Parse() of a card with %s = a message of %d bytes, want at most 1,000", name, len(f.Message))
		}
	}
}

func TestACardWithAByteOrderMarkIsToldSo(t *testing.T) {
	t.Parallel()
	if _, _, _, err := agentcard.Parse([]byte("\ufeff" + card("", ""))); fault.ReasonOf(err) != "CARD_NOT_JSON" || !strings.Contains(err.Error(), "byte order mark") {
		t.Errorf("Parse() = %v, want CARD_NOT_JSON and the byte order mark named", err)
	}
	if _, _, _, err := agentcard.Parse([]byte(card(`"a"`, `"a","description":"\ud83d\ude00 \\ud83d"`))); err != nil {
		t.Errorf("Parse() of a whole surrogate pair = %v, want no error", err)
	}
}

// manyTags returns the elements of a list of n different tags.
func manyTags(n int) string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = strconv.Quote("t" + strconv.Itoa(i))
	}
	return strings.Join(tags, ",")
}

func TestParseAcceptsWithAWarning(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ raw, code, field string }{
		"no skills":               {card(`[{"id":"s"}]`, "[]"), "SKILLS_EMPTY", "card.skills"},
		"skills that are null":    {card(`[{"id":"s"}]`, "null"), "SKILLS_EMPTY", "card.skills"},
		"an interface left out":   {card(`}],"skills"`, `},{"url":"nowhere"}],"skills"`), "INTERFACE_SKIPPED", "card.supportedInterfaces[1].url"},
		"a gRPC port of 0":        {card(`}],"skills"`, `},{"url":"h:0","protocolBinding":"grpc"}],"skills"`), "INTERFACE_SKIPPED", "card.supportedInterfaces[1].url"},
		"a URL with a fragment":   {card(`}],"skills"`, `},{"url":"http://h/#a"}],"skills"`), "INTERFACE_SKIPPED", "card.supportedInterfaces[1].url"},
		"an unparsable interface": {card(`}],"skills"`, `},{"url":"http://%"}],"skills"`), "INTERFACE_SKIPPED", "card.supportedInterfaces[1].url"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, warnings, err := agentcard.Parse([]byte(test.raw))
			if err != nil || len(got.Interfaces) != 1 || len(warnings) != 1 || warnings[0].Code != test.code || warnings[0].Field != test.field {
				t.Errorf("Parse() = %+v, %v, %v, want one interface and %s about %s", got.Interfaces, warnings, err, test.code, test.field)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{cardV1, cardV03, card("", ""), "<html>", `{"name":"a","name":"b"}`, strings.Repeat("[", 100)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, metadata, _, err := agentcard.Parse(raw)
		if err != nil {
			if k := fault.KindOf(err); k != fault.InvalidArgument {
				t.Errorf("Parse() = %v of kind %v, want an invalid argument", err, k)
			}
			return
		}
		if got.Name == "" || len(got.Name) > 64 || got.Version == "" || len(got.Interfaces) == 0 {
			t.Errorf("Parse() = %+v, want a name, a version and an interface", got)
		}
		if metadata != nil {
			if err := metadata.Validate(got.Name); err != nil && fault.KindOf(err) != fault.InvalidArgument {
				t.Errorf("Validate() = %v, want nil or an invalid argument", err)
			}
		}
	})
}

// TestParseReadsAV03CardWithoutV1Interfaces has the field as encoders write it that leave nothing out: to protobuf's JSON, null and an empty list say
// that there are none.
func TestParseReadsAV03CardWithoutV1Interfaces(t *testing.T) {
	t.Parallel()
	for _, none := range []string{"null", "[]"} {
		raw := strings.Replace(cardV03, "{", `{"supportedInterfaces":`+none+",", 1)
		got, _, warnings, err := agentcard.Parse([]byte(raw))
		if err != nil || len(warnings) > 0 || len(got.Interfaces) != 2 {
			t.Errorf("Parse() of a v0.3 card with supportedInterfaces %s = %v, %v, %v, want its two interfaces", none, got.Interfaces, warnings, err)
		}
	}
}

func TestParseTakesTheV1InterfacesOfACardThatIsBoth(t *testing.T) {
	t.Parallel()
	got, _, _, err := agentcard.Parse([]byte(card(`"version"`, `"url":"http://old/","protocolVersion":"0.3.0","version"`)))
	want := []agentcard.Interface{{URL: "http://h/", Binding: "JSONRPC", ProtocolVersion: "1.0"}}
	if err != nil || cmp.Diff(want, got.Interfaces) != "" {
		t.Errorf("Parse() = %+v, %v, want %+v", got.Interfaces, err, want)
	}
}

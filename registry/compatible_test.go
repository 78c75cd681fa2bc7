package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/compat"
)

// typed registers an agent with the outputs and inputs, each given as name:type or name:type:JSON Schema.
func typed(t *testing.T, r *registry.Registry, name string, outputs, inputs []string) {
	t.Helper()
	var m agentcard.Metadata
	split := func(text string) (name, typ string, js map[string]any) {
		parts := strings.SplitN(text, ":", 3)
		if len(parts) == 3 {
			js = schema(t, parts[2])
		}
		return parts[0], parts[1], js
	}
	for _, text := range outputs {
		o := agentcard.OutputSchema{Guaranteed: true}
		o.Name, o.SemanticType, o.JSONSchema = split(text)
		m.OutputSchemas = append(m.OutputSchemas, o)
	}
	for _, text := range inputs {
		i := agentcard.InputSchema{Required: true}
		i.Name, i.SemanticType, i.JSONSchema = split(text)
		m.InputSchemas = append(m.InputSchemas, i)
	}
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: named(name), Metadata: &m}); err != nil {
		t.Fatalf("Register(%s) = %v, want no error", name, err)
	}
}

// compatible returns the pairs of a query as "tier producer.output>consumer.input", read page by page.
func compatible(t *testing.T, r *registry.Registry, q registry.CompatibleQuery) (lines []string) {
	t.Helper()
	for {
		pairs, more, err := r.FindCompatible(t.Context(), tenant, q)
		if err != nil {
			t.Fatalf("FindCompatible(%+v) = %v, want no error", q, err)
		}
		for _, p := range pairs {
			lines = append(lines, fmt.Sprintf("%s %s.%s>%s.%s", p.Tier, p.Producer, p.Output, p.Consumer, p.Input))
			if len(p.Explanation) == 0 {
				t.Errorf("pair %+v has no explanation, want one", p)
			}
		}
		if !more {
			return lines
		}
		q.After = pairs[len(pairs)-1].Place
	}
}

func TestFindCompatibleInTiers(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	typed(t, r, "coder", []string{`code:artifact:{"type":"object","required":["url"],"properties":{"url":{"type":"string"}}}`, "note:comment"}, []string{"spec:document"})
	typed(t, r, "architect", []string{"spec:document"}, []string{"wish:comment"})
	typed(t, r, "tester", nil, []string{`code:artifact:{"type":"object","required":["url"]}`})
	typed(t, r, "strict", nil, []string{`code:artifact:{"type":"object","required":["sha"]}`})
	typed(t, r, "reader", []string{"list:collection"}, []string{"text:document"})
	typed(t, r, "linker", nil, []string{`link:reference:{"type":"object","properties":{"url":{"type":"string"}}}`})
	consumers := registry.CompatibleQuery{Agent: "coder", Limit: 2, Query: compat.Query{Direction: compat.Consumers}}
	want := []string{
		"exact coder.code>tester.code", "exact coder.note>architect.wish",
		"seed coder.code>reader.text", "seed coder.note>reader.text",
		"structure coder.code>linker.link",
	}
	if diff := cmp.Diff(want, compatible(t, r, consumers)); diff != "" {
		t.Errorf("consumers of coder, difference (-want +got):\n%s", diff)
	}
	for name, test := range map[string]struct {
		query registry.CompatibleQuery
		want  []string
	}{
		"strong ones only": {registry.CompatibleQuery{Agent: "coder", Query: compat.Query{MinTier: compat.TierExact}}, want[:2]},
		"of one output":    {registry.CompatibleQuery{Agent: "coder", Query: compat.Query{Schema: "note"}}, []string{want[1], want[3]}},
		"available only":   {registry.CompatibleQuery{Agent: "coder", Available: true}, nil},
		"producers": {
			registry.CompatibleQuery{Agent: "reader", Limit: 1, Query: compat.Query{Direction: compat.Producers}},
			[]string{"exact architect.spec>reader.text", "seed coder.code>reader.text", "seed coder.note>reader.text"},
		},
	} {
		if diff := cmp.Diff(test.want, compatible(t, r, test.query)); diff != "" {
			t.Errorf("%s, difference (-want +got):\n%s", name, diff)
		}
	}
	if _, _, err := r.FindCompatible(t.Context(), tenant, registry.CompatibleQuery{Agent: "nobody"}); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("FindCompatible(nobody) = %v, want AGENT_NOT_FOUND", err)
	}
	if _, _, err := r.FindCompatible(t.Context(), tenant, registry.CompatibleQuery{Agent: "nobody", Query: compat.Query{Direction: "sideways"}}); fault.ReasonOf(err) != "VALIDATION_FAILED" {
		t.Errorf("FindCompatible(sideways) = %v, want VALIDATION_FAILED", err)
	}
	if _, _, err := r.FindCompatible(t.Context(), tenant, registry.CompatibleQuery{Agent: "nobody", Query: compat.Query{MinTier: "perfect"}}); fault.ReasonOf(err) != "VALIDATION_FAILED" {
		t.Errorf("FindCompatible(perfect) = %v, want VALIDATION_FAILED", err)
	}
	if _, _, err := r.FindCompatible(t.Context(), tenant, registry.CompatibleQuery{Agent: "coder", Query: compat.Query{Schema: "x"}}); fault.ReasonOf(err) != "SCHEMA_NOT_FOUND" {
		t.Errorf("FindCompatible(coder, x) = %v, want SCHEMA_NOT_FOUND", err)
	}
}

func TestWhatIsNoLongerDeclaredFitsNobody(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	typed(t, r, "coder", []string{"code:artifact"}, nil)
	typed(t, r, "writer", []string{"text:artifact"}, nil)
	typed(t, r, "reader", nil, []string{"text:document"})
	want := func(when string, direction, agent string, pairs ...string) {
		t.Helper()
		if diff := cmp.Diff(pairs, compatible(t, r, registry.CompatibleQuery{Agent: agent, Query: compat.Query{Direction: direction}})); diff != "" {
			t.Errorf("%s of %s %s, difference (-want +got):\n%s", direction, agent, when, diff)
		}
	}
	without := func(agent, field string) {
		t.Helper()
		if _, _, err := r.Once(registry.Retry{}).UpdateMetadata(t.Context(), tenant, agent, "", []string{field}, agentcard.Metadata{}); err != nil {
			t.Fatalf("UpdateMetadata(%s, %s) = %v, want no error", agent, field, err)
		}
	}
	want("at first", compat.Producers, "reader", "seed coder.code>reader.text", "seed writer.text>reader.text")
	without("coder", "output_schemas")
	want("without the coder's output", compat.Producers, "reader", "seed writer.text>reader.text")
	without("reader", "input_schemas")
	want("without the reader's input", compat.Consumers, "writer")
}

// TestFindCompatibleReadsFewOfThoseThatAreAway asks for available agents where one of many is available.
func TestFindCompatibleReadsFewOfThoseThatAreAway(t *testing.T) {
	t.Parallel()
	_, s := openPulseStore(t)
	r := registry.New(s, registry.Options{}) // whose leases last
	typed(t, r, "coder", []string{"code:artifact"}, nil)
	for i := range 30 {
		typed(t, r, fmt.Sprintf("tester-%d", i), nil, []string{"code:artifact"})
	}
	typed(t, r, "up", nil, []string{"code:artifact"})
	if _, err := r.Heartbeat(t.Context(), tenant, registry.Beat{Agent: "up", Status: registry.StatusAvailable}); err != nil {
		t.Fatal(err)
	}
	synced(t, r.Directory())
	s.pulses.Store(0)
	found, more, err := r.FindCompatible(t.Context(), tenant, registry.CompatibleQuery{Agent: "coder", Available: true, Limit: 1})
	if err != nil || more || len(found) != 1 || found[0].Consumer != "up" {
		t.Errorf("FindCompatible() = %+v, %t, %v, want the one that is available", found, more, err)
	}
	if n := s.pulses.Load(); n > 3 {
		t.Errorf("FindCompatible() has read pulses %d times, want no more than 3 times", n)
	}
}

func TestMappingsWidenWhatFits(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	typed(t, r, "coder", []string{"code:artifact"}, nil)
	typed(t, r, "lister", nil, []string{"list:collection"})
	typed(t, r, "critic", nil, []string{"words:comment"})
	q := registry.CompatibleQuery{Agent: "coder"}
	if got := compatible(t, r, q); len(got) != 0 {
		t.Errorf("without mappings = %v, want nothing", got)
	}
	create(t, r, "document", "collection")
	create(t, r, "collection", "comment")
	want := []string{"mapping coder.code>lister.list", "mapping coder.code>critic.words"}
	slices.Sort(want)
	got := compatible(t, r, q)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with mappings, difference (-want +got):\n%s", diff)
	}
	pairs, _, err := r.FindCompatible(t.Context(), tenant, registry.CompatibleQuery{Agent: "critic", Query: compat.Query{Direction: compat.Producers}})
	if err != nil || len(pairs) != 1 || strings.Join(pairs[0].Path, " ") != "artifact document collection comment" {
		t.Errorf("producers for critic = %+v, %v, want the whole way", pairs, err)
	}
	if err := r.DeleteMapping(t.Context(), tenant, "document-collection", "", registry.Retry{}); err != nil {
		t.Errorf("DeleteMapping() = %v, want no error", err)
	}
	if got := compatible(t, r, q); len(got) != 0 {
		t.Errorf("after the mapping is gone = %v, want nothing", got)
	}
}

func create(t *testing.T, r *registry.Registry, from, to string) registry.Mapping {
	t.Helper()
	m, err := r.CreateMapping(t.Context(), tenant, registry.Mapping{From: from, To: to}, registry.Retry{})
	if err != nil {
		t.Fatalf("CreateMapping(%s, %s) = %v, want no error", from, to, err)
	}
	return m
}

func TestMappingsThatSayNothingOrTooMuch(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	for name, wrong := range map[string]registry.Mapping{
		"from a type to itself": {From: "document", To: "document"},
		"with a long word":      {From: "comment", To: "artifact", Description: strings.Repeat("x", 5000)},
	} {
		if _, err := r.CreateMapping(t.Context(), tenant, wrong, registry.Retry{}); fault.ReasonOf(err) != "MAPPING_INVALID" {
			t.Errorf("CreateMapping() %s = %v, want MAPPING_INVALID", name, err)
		}
	}
	m := create(t, r, "document", "collection")
	if _, err := r.UpdateMapping(t.Context(), tenant, m.Name(), m.Etag, strings.Repeat("x", 5000), registry.Retry{}); fault.ReasonOf(err) != "MAPPING_INVALID" {
		t.Errorf("UpdateMapping() to a long word = %v, want MAPPING_INVALID", err)
	}
}

func TestMappingsAreChecked(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	m := create(t, r, "document", "collection")
	create(t, r, "collection", "comment")
	for want, pair := range map[string][2]string{
		"MAPPING_INVALID": {"document", "novel"}, "MAPPING_CYCLE": {"comment", "document "}, "MAPPING_EXISTS": {"document", "collection"},
	} {
		from, to := pair[0], strings.TrimSpace(pair[1])
		if want == "MAPPING_CYCLE" {
			from, to = "collection", "document" // straight back
		}
		if _, err := r.CreateMapping(t.Context(), tenant, registry.Mapping{From: from, To: to}, registry.Retry{}); fault.ReasonOf(err) != want {
			t.Errorf("CreateMapping(%s, %s) = %v, want %s", from, to, err, want)
		}
	}
	create(t, r, "comment", "artifact")
	if _, err := r.CreateMapping(t.Context(), tenant, registry.Mapping{From: "artifact", To: "collection"}, registry.Retry{}); fault.ReasonOf(err) != "MAPPING_CYCLE" {
		t.Errorf("CreateMapping() that closes a cycle of three = %v, want MAPPING_CYCLE", err)
	}
	if _, err := r.CreateMapping(t.Context(), tenant, registry.Mapping{From: "artifact", To: "document"}, registry.Retry{}); fault.ReasonOf(err) != "MAPPING_EXISTS" {
		t.Errorf("CreateMapping() of what is built in = %v, want MAPPING_EXISTS", err)
	}
	if m.CreateTime.IsZero() || !m.UpdateTime.Equal(m.CreateTime) {
		t.Errorf("CreateMapping() = created at %v, updated at %v, want one time", m.CreateTime, m.UpdateTime)
	}
	next, err := r.UpdateMapping(t.Context(), tenant, m.Name(), m.Etag, "lists are documents", registry.Retry{})
	if err != nil || next.Etag == m.Etag || next.Description == "" {
		t.Errorf("UpdateMapping() = %+v, %v, want another etag", next, err)
	}
	if _, err := r.UpdateMapping(t.Context(), tenant, m.Name(), m.Etag, "", registry.Retry{}); fault.ReasonOf(err) != "ETAG_MISMATCH" {
		t.Errorf("UpdateMapping() with a stale etag = %v, want ETAG_MISMATCH", err)
	}
	retry := registry.Retry{Caller: "root", RequestID: "1"}
	for range 2 {
		if err := r.DeleteMapping(t.Context(), tenant, m.Name(), "", retry); err != nil {
			t.Errorf("DeleteMapping() and its retry = %v, want no error", err)
		}
	}
	if err := r.DeleteMapping(t.Context(), tenant, m.Name(), "", registry.Retry{}); fault.ReasonOf(err) != "MAPPING_NOT_FOUND" {
		t.Errorf("DeleteMapping() again = %v, want MAPPING_NOT_FOUND", err)
	}
}

func TestAJSONSchemaIsChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"object"}`: "", `{"type":"objekt"}`: "no JSON Schema", `{"$ref":"https://elsewhere.example/s.json"}`: "no JSON Schema",
		`{"$ref":"#/$defs/gone"}`: "no JSON Schema", `{"$defs":{"s":{"$anchor":"s"}},"items":{"$ref":"#/$defs/s"},"not":{"$ref":"#s"}}`: "", `{"description":"` + strings.Repeat("x", 33<<10) + `"}`: "more than 32768 bytes",
	} {
		m := agentcard.Metadata{OutputSchemas: []agentcard.OutputSchema{{Name: "o", SemanticType: "document", JSONSchema: schema(t, text)}}}
		err := m.Validate("a")
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), "output_schemas[0].json_schema: ") || err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("Validate(%.60s) = %v, want %q", text, err, want)
		}
	}
}

// asked is a context in which something happens when it is asked for the second time whether it is over.
type asked struct {
	context.Context //nolint:containedctx // it is one

	times int
	then  func()
}

func (a *asked) Err() error {
	if a.times++; a.times == 2 { // the first time is when the log is read
		a.then()
	}
	return a.Context.Err()
}

// TestTheDirectoryDoesNotWaitForComparisons has an agent come while the schemas of others are compared, which can take long.
func TestTheDirectoryDoesNotWaitForComparisons(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	const takers = 10
	typed(t, r, "maker", []string{"made:document"}, nil)
	for i := range takers {
		typed(t, r, fmt.Sprintf("taker%d", i), nil, []string{"in:document"})
	}
	synced(t, r.Directory())
	ctx := &asked{Context: t.Context(), then: func() {
		register(t, r, "new")
		synced(t, r.Directory())
	}}
	pairs, _, err := r.FindCompatible(ctx, tenant, registry.CompatibleQuery{Agent: "maker", Limit: takers})
	if err != nil || len(pairs) != takers || ctx.times < takers {
		t.Errorf("FindCompatible() = %d pairs, %v, and asked %d times whether its caller has gone, want %d pairs, each after a question", len(pairs), err, ctx.times, takers)
	}
}

func schema(t *testing.T, text string) map[string]any {
	t.Helper()
	var s map[string]any
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("Unmarshal(%s) = %v, want no error", text, err)
	}
	return s
}

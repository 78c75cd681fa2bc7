package compat

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/schema"
)

// port is one input or output of an agent.
type port struct {
	agent, name, semanticType string
	sure                      bool // an input is required, an output is guaranteed
	rules                     int  // validation rules of an input
	schema                    map[string]any
	digest                    [sha256.Size]byte // of schema
}

func (p *port) compare(q *port) int {
	return cmp.Or(strings.Compare(p.agent, q.agent), strings.Compare(p.name, q.name))
}

func outputsOf(agent string, m *agentcard.Metadata) []*port {
	ports := make([]*port, len(m.OutputSchemas))
	for i := range m.OutputSchemas {
		s := &m.OutputSchemas[i]
		ports[i] = newPort(agent, s.Name, s.SemanticType, s.JSONSchema)
		ports[i].sure = s.Guaranteed
	}
	return ports
}

func inputsOf(agent string, m *agentcard.Metadata) []*port {
	ports := make([]*port, len(m.InputSchemas))
	for i := range m.InputSchemas {
		s := &m.InputSchemas[i]
		ports[i] = newPort(agent, s.Name, s.SemanticType, s.JSONSchema)
		ports[i].sure, ports[i].rules = s.Required, len(s.ValidationRules)
	}
	return ports
}

func newPort(agent, name, semanticType string, schema map[string]any) *port {
	p := &port{agent: agent, name: name, semanticType: semanticType, schema: schema}
	if schema != nil {
		encoded, _ := json.Marshal(schema) // schema came from JSON, so this cannot fail
		p.digest = sha256.Sum256(encoded)
	}
	return p
}

// Index holds the inputs and outputs of all agents by semantic type. It is updated as agents are written, so that no query has to scan all agents. Any number
// of goroutines may call Search while none changes the index; what Search returns may be used at any time.
type Index struct {
	Types *Table // which types fit each other; to be replaced when the mappings change

	outputs map[string][]*port // in order of agent and name
	inputs  map[string][]*port // in order of agent and name

	mu    sync.Mutex
	known map[[2][sha256.Size]byte]verdict // guarded by mu; by the digests of two JSON Schemas that were compared
}

// maxVerdicts bounds how many verdicts a Index remembers.
const maxVerdicts = 1 << 17

type verdict struct {
	fits bool
	why  string
}

// NewIndex returns an empty index, with the built-in table.
func NewIndex() *Index {
	return &Index{Types: NewTable(nil), outputs: make(map[string][]*port), inputs: make(map[string][]*port)}
}

// Add adds the inputs and outputs of an agent that the index does not have.
func (x *Index) Add(agent string, m *agentcard.Metadata) {
	for _, p := range outputsOf(agent, m) {
		insertPort(x.outputs, p)
	}
	for _, p := range inputsOf(agent, m) {
		insertPort(x.inputs, p)
	}
}

// Remove removes an agent. Its metadata must be the same as when it was added.
func (x *Index) Remove(agent string, m *agentcard.Metadata) {
	of := func(p *port) bool { return p.agent == agent }
	for _, s := range m.OutputSchemas {
		x.outputs[s.SemanticType] = slices.DeleteFunc(x.outputs[s.SemanticType], of)
	}
	for _, s := range m.InputSchemas {
		x.inputs[s.SemanticType] = slices.DeleteFunc(x.inputs[s.SemanticType], of)
	}
}

func insertPort(by map[string][]*port, p *port) {
	list := by[p.semanticType]
	at, _ := slices.BinarySearchFunc(list, p, (*port).compare)
	by[p.semanticType] = slices.Insert(list, at, p)
}

// within compares the JSON Schemas of an output and an input, and remembers the verdict.
func (x *Index) within(output, input *port) verdict {
	pair := [2][sha256.Size]byte{output.digest, input.digest}
	x.mu.Lock()
	v, ok := x.known[pair]
	x.mu.Unlock()
	if ok {
		return v
	}
	v.fits, v.why = schema.Within(output.schema, input.schema)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known == nil || len(x.known) >= maxVerdicts {
		x.known = make(map[[2][sha256.Size]byte]verdict)
	}
	x.known[pair] = v
	return v
}

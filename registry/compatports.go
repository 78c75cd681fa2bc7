package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/quorate/quorate/registry/schema"
)

// typedPort is one input or output of an agent.
type typedPort struct {
	agent, name, semanticType string
	sure                      bool // an input is required, an output is guaranteed
	rules                     int  // validation rules of an input
	schema                    map[string]any
	digest                    [sha256.Size]byte // of schema
}

func (p *typedPort) compare(q *typedPort) int {
	return cmp.Or(strings.Compare(p.agent, q.agent), strings.Compare(p.name, q.name))
}

func outputsOf(a *Agent) []*typedPort {
	ports := make([]*typedPort, len(a.Metadata.OutputSchemas))
	for i := range a.Metadata.OutputSchemas {
		s := &a.Metadata.OutputSchemas[i]
		ports[i] = newPort(a.Name, s.Name, s.SemanticType, s.JSONSchema)
		ports[i].sure = s.Guaranteed
	}
	return ports
}

func inputsOf(a *Agent) []*typedPort {
	ports := make([]*typedPort, len(a.Metadata.InputSchemas))
	for i := range a.Metadata.InputSchemas {
		s := &a.Metadata.InputSchemas[i]
		ports[i] = newPort(a.Name, s.Name, s.SemanticType, s.JSONSchema)
		ports[i].sure, ports[i].rules = s.Required, len(s.ValidationRules)
	}
	return ports
}

func newPort(agent, name, semanticType string, schema map[string]any) *typedPort {
	p := &typedPort{agent: agent, name: name, semanticType: semanticType, schema: schema}
	if schema != nil {
		encoded, _ := json.Marshal(schema) // schema came from JSON, so this cannot fail
		p.digest = sha256.Sum256(encoded)
	}
	return p
}

// portIndex holds the inputs and outputs of all agents by semantic type. It is updated as agents are written, so that no query has to scan all
// agents.
type portIndex struct {
	types   *typeTable
	outputs map[string][]*typedPort // in order of agent and name
	inputs  map[string][]*typedPort // in order of agent and name

	mu    sync.Mutex
	known map[[2][sha256.Size]byte]verdict // guarded by mu; by the digests of two JSON Schemas that were compared
}

// maxVerdicts bounds how many verdicts a portIndex remembers.
const maxVerdicts = 1 << 17

type verdict struct {
	fits bool
	why  string
}

func newPortIndex() *portIndex {
	return &portIndex{types: newTypeTable(nil), outputs: make(map[string][]*typedPort), inputs: make(map[string][]*typedPort)}
}

func (x *portIndex) add(a *Agent) {
	for _, p := range outputsOf(a) {
		insertPort(x.outputs, p)
	}
	for _, p := range inputsOf(a) {
		insertPort(x.inputs, p)
	}
}

func (x *portIndex) remove(a *Agent) {
	of := func(p *typedPort) bool { return p.agent == a.Name }
	for _, s := range a.Metadata.OutputSchemas {
		x.outputs[s.SemanticType] = slices.DeleteFunc(x.outputs[s.SemanticType], of)
	}
	for _, s := range a.Metadata.InputSchemas {
		x.inputs[s.SemanticType] = slices.DeleteFunc(x.inputs[s.SemanticType], of)
	}
}

func insertPort(by map[string][]*typedPort, p *typedPort) {
	list := by[p.semanticType]
	at, _ := slices.BinarySearchFunc(list, p, (*typedPort).compare)
	by[p.semanticType] = slices.Insert(list, at, p)
}

// within compares the JSON Schemas of an output and an input, and remembers the verdict.
func (x *portIndex) within(output, input *typedPort) verdict {
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

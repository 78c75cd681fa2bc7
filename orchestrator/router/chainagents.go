package router

import (
	"fmt"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// none is the index of nothing.
const none = -1

// chainAgents holds the agents that can be part of a chain, by their required inputs. It belongs to a view and is read-only like that.
type chainAgents struct {
	producers    []producer // in order of name
	inputSets    []inputSet
	inputsByType map[string][]inputRef // the inputs of all sets, by semantic type
	nameIDs      map[string]int        // the names of all these inputs, numbered from 0
	productCount int                   // total number of products of all producers
}

// producer is an agent that can be part of a chain.
type producer struct {
	agent    string
	index    int       // index in producers
	inputSet int       // index in inputSets
	products []product // guaranteed outputs
}

// product is an output with the number of its name, or none when no agent requires an input of this name, and that of its JSON Schema.
type product struct {
	resource
	nameID   int
	schemaID int
}

// inputSet is a set of required inputs. Agents that require the same share one set.
type inputSet []requiredInput

type requiredInput struct {
	*agentcard.InputSchema
	nameID int // number of the name
}

// inputRef is one of the inputs of a set.
type inputRef struct{ set, input int }

// newChainAgents selects the agents that can be part of a chain: those that make something and require something; an agent without required inputs would
// belong to every chain.
func newChainAgents(agents []*registry.Agent) chainAgents {
	c := chainAgents{inputsByType: make(map[string][]inputRef), nameIDs: make(map[string]int)}
	setByKey, schemas := make(map[string]int), make(schemaIDs)
	for _, a := range agents {
		key, makes := schemas.inputSetKey(a), schemas.productsOf(a)
		if key == "" || len(makes) == 0 {
			continue
		}
		set, ok := setByKey[key]
		if !ok {
			set = len(c.inputSets)
			setByKey[key] = set
			c.addInputSet(a.Metadata.InputSchemas)
		}
		c.producers = append(c.producers, producer{a.Name, len(c.producers), set, makes})
		c.productCount += len(makes)
	}
	for _, x := range c.producers {
		for i := range x.products {
			x.products[i].nameID = c.nameID(x.products[i].Name)
		}
	}
	return c
}

func (c *chainAgents) nameID(name string) int {
	if n, ok := c.nameIDs[name]; ok {
		return n
	}
	return none
}

// schemaIDs numbers JSON Schemas by their text. Equal ones, such as those of the copies of an agent, have the same number.
type schemaIDs map[string]int

// of returns the number of a schema, and 0 for none.
func (s schemaIDs) of(schema map[string]any) int {
	if schema == nil {
		return 0
	}
	text := fmt.Sprintf("%#v", schema) // in the order of its keys
	id, ok := s[text]
	if !ok {
		id = len(s) + 1
		s[text] = id
	}
	return id
}

// inputSetKey returns a key that is equal for agents that require the same inputs, and "" for an agent without any.
func (s schemaIDs) inputSetKey(a *registry.Agent) string {
	var key []byte
	for i := range a.Metadata.InputSchemas {
		in := &a.Metadata.InputSchemas[i]
		if !in.Required {
			continue
		}
		key = fmt.Appendf(key, "%q %q %d ", in.Name, in.SemanticType, s.of(in.JSONSchema))
	}
	return string(key)
}

func (s schemaIDs) productsOf(a *registry.Agent) []product {
	var list []product
	for i := range a.Metadata.OutputSchemas {
		if o := &a.Metadata.OutputSchemas[i]; o.Guaranteed {
			list = append(list, product{resource: resource{typedOf(o), o.JSONSchema}, schemaID: s.of(o.JSONSchema)})
		}
	}
	return list
}

func (c *chainAgents) addInputSet(schemas []agentcard.InputSchema) {
	var set inputSet
	for i := range schemas {
		in := &schemas[i]
		if !in.Required {
			continue
		}
		name, ok := c.nameIDs[in.Name]
		if !ok {
			name = len(c.nameIDs)
			c.nameIDs[in.Name] = name
		}
		c.inputsByType[in.SemanticType] = append(c.inputsByType[in.SemanticType], inputRef{len(c.inputSets), len(set)})
		set = append(set, requiredInput{in, name})
	}
	c.inputSets = append(c.inputSets, set)
}

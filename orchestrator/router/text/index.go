package text

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Skill is one skill of an agent, as its card describes it.
type Skill struct {
	Agent, ID         string
	AgentDescription  string
	Name, Description string
	Tags, Examples    []string
	Inputs, Outputs   []string // names and descriptions
}

// Options control how an index is built. The zero value is ready to use.
type Options struct {
	FalseRefusal float64 // the share of fitting texts that are refused nevertheless; default 0.05
	Untrained    bool    // compare by shared words only, which takes no time to build

	// Stop, when closed, ends training early; the index is then unusable. It may be nil.
	Stop <-chan struct{}

	maxWeights int // default maxWeights
}

func (o *Options) stopped() bool {
	select {
	case <-o.Stop:
		return true
	default:
		return false
	}
}

// Index finds the skill that a text asks for. It is immutable and safe for concurrent use.
type Index struct {
	skills   []Skill // sorted by agent and id
	agents   []string
	owner    []int32    // by skill: its agent
	taught   []bool     // by skill: whether it has examples
	names    [][]string // by skill: the stems of its name, or else of its id, each once
	bm25     bm25
	pieces   namePieces
	spelling spelling
	linear   linear
	nearest  nearest
	trained  bool
	trust    float64   // 0 to 1: how far what the examples taught determines the confidence
	limit    float32   // confidence below which a text is refused, for a trained index
	spare    sync.Pool // of *ranking, so that a search over thousands of skills does not allocate
}

const (
	maxExamples        = 2000  // of a skill; more add nothing new
	maxAllExamples     = 50000 // of all skills: each takes some 20 KB during training
	maxExampleWords    = 64
	maxExampleBytes    = 1024 // of its words
	maxAllExampleBytes = 8 << 20
	manySkills         = 1000 // beyond that, their cards are learned from only if there are as many examples
)

// New builds an index. The order of the skills does not matter.
func New(skills []Skill, o Options) *Index {
	if o.FalseRefusal <= 0 || o.FalseRefusal >= 1 {
		o.FalseRefusal = 0.05
	}
	if o.maxWeights <= 0 {
		o.maxWeights = maxWeights
	}
	skills, docs := prepareSkills(skills)
	if o.Untrained || examplesEach(docs) == 0 {
		return build(skills, docs, nil, false, o)
	}
	limit := calibrate(skills, docs, o)
	x := build(skills, docs, nil, true, o)
	x.limit = limit
	return x
}

// prepareSkills sorts skills and prepares their documents. Descriptions in cards are learned from in addition to examples. Of many skills with hardly an
// example they are not: training would take as long as with examples, and know little about how people ask.
func prepareSkills(list []Skill) (skills []Skill, docs []document) {
	skills = slices.Clone(list)
	slices.SortFunc(skills, compareSkills)
	docs = make([]document, len(skills))
	for i := range skills {
		docs[i] = newDocument(&skills[i])
	}
	if n := thinOut(docs); n < len(docs) && len(docs) > manySkills {
		for i := range docs {
			docs[i].said = example{}
		}
	}
	return skills, docs
}

// thinOut reduces the examples of each skill so that the total is bounded, and returns the total.
func thinOut(docs []document) (total int) {
	for most := maxExamples; most > 0; most /= 2 {
		bytes := 0
		total = 0
		for i := range docs {
			docs[i].examples = spread(docs[i].examples, most)
			total += len(docs[i].examples)
			for _, x := range docs[i].examples {
				bytes += x.bytes()
			}
		}
		if total <= maxAllExamples && bytes <= maxAllExampleBytes {
			break
		}
	}
	return total
}

// spread selects at most so many elements at even distances. Examples are sorted by their words, so that similar ones are neighbours.
func spread[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, most)
	for i := range out {
		out[i] = list[i*len(list)/most]
	}
	return out
}

func compareSkills(a, b Skill) int {
	return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.ID, b.ID))
}

// build builds an index of all examples except those that are held out.
func build(skills []Skill, docs []document, held func(skill, example int) bool, trained bool, o Options) *Index {
	x := &Index{skills: skills, owner: make([]int32, len(skills)), taught: make([]bool, len(skills)), names: make([][]string, len(skills)), trained: trained}
	x.trust = trust(examplesEach(docs)) // including those held out, so that confidences are comparable
	for i, s := range skills {
		if i == 0 || s.Agent != skills[i-1].Agent {
			x.agents = append(x.agents, s.Agent)
		}
		x.owner[i] = int32(len(x.agents) - 1) //nolint:gosec // far below 2^31
		x.taught[i] = len(docs[i].examples) > 0
		x.names[i] = docs[i].name
	}
	x.bm25 = newBM25(docs, held)
	x.pieces = newNamePieces(docs)
	if held == nil { // what is held out is asked as it is written
		x.spelling = newSpelling(docs, x.owner)
	}
	x.linear.sharpness = untaughtSharpness
	if trained {
		x.linear = train(docs, held, o)
		x.nearest = newNearest(docs, held, &x.linear)
	}
	return x
}

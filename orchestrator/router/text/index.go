package text

import "sync"

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
	doc      []int32    // by skill: its document
	kin      [][]int32  // documents that are versions of each other
	again    []int32    // by skill: the document that it says again, or none
	taught   []bool     // by document: whether it has examples
	names    [][]string // by document: the stems of its skills' name, or else of their id, each once
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
	c := newCorpus(skills)
	if o.Untrained || examplesEach(c.docs) == 0 {
		return build(&c, nil, false, o)
	}
	limit := calibrate(&c, o)
	x := build(&c, nil, true, o)
	x.limit = limit
	return x
}

// build builds an index of all examples except those that are held out.
func build(c *corpus, held func(doc, example int) bool, trained bool, o Options) *Index {
	x := &Index{
		skills: c.skills, doc: c.doc, kin: c.kin, again: c.again, owner: make([]int32, len(c.skills)),
		taught: make([]bool, len(c.docs)), names: make([][]string, len(c.docs)), trained: trained,
	}
	x.trust = trust(examplesEach(c.docs)) // including those held out, so that confidences are comparable
	for i, s := range c.skills {
		if i == 0 || s.Agent != c.skills[i-1].Agent {
			x.agents = append(x.agents, s.Agent)
		}
		x.owner[i] = int32(len(x.agents) - 1) //nolint:gosec // far below 2^31
	}
	for i, d := range c.docs {
		x.taught[i] = len(d.examples) > 0
		x.names[i] = d.name
	}
	x.bm25 = newBM25(c, held)
	x.pieces = newNamePieces(c.docs)
	if held == nil { // what is held out is asked as it is written
		x.spelling = newSpelling(c, x.owner)
	}
	x.linear.sharpness = untaughtSharpness
	if trained {
		x.linear = train(c.docs, held, o)
		x.nearest = newNearest(c.docs, held, &x.linear)
	}
	return x
}

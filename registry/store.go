package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/quorate/quorate/registry/agentcard"
)

// ErrRequestSeen is returned by Store.Update when the request is remembered already.
var ErrRequestSeen = errors.New("the request id was used before")

// Record is an agent as a store keeps it, without Status.
type Record struct {
	Agent
	TokenHash [sha256.Size]byte // hash of the agent's token; zero when it has none
}

// HasToken reports whether the agent has a token.
func (r *Record) HasToken() bool { return r.TokenHash != [sha256.Size]byte{} }

// Change is what one Update writes, in one atomic step.
type Change struct {
	Record   *Record  // the new state; nil deletes the agent, its pulse, its token and its skills
	Pulse    *Pulse   // of a new agent, if it has one; nil for others, whose pulse UpdatePulse writes
	Remember *Request // kept until its ExpireTime when not nil
	Version  *Version // added by a VersionStore when not nil; the version that is MaxVersions older is dropped
	DryRun   bool     // check everything and write nothing
}

// RequestKey identifies a retry-safe request. Request ids of different callers are independent.
type RequestKey struct{ Tenant, Caller, ID string }

// Request is a remembered write: what was asked, and what the first answer said.
type Request struct {
	Key        RequestKey
	Digest     [sha256.Size]byte   // of what was asked
	Agent      string              // the agent that it wrote; empty for a semantic mapping
	Warnings   []agentcard.Warning // of the first answer
	Outcome    string              // of the first answer of Apply; empty for other writes
	CreateTime time.Time
	ExpireTime time.Time
}

// Query selects agents.
type Query struct {
	Tenant string   // empty selects all tenants
	Skill  string   // id of a skill that the agents have; only with Tenant; empty selects all
	Tag    string   // a tag of that skill, or of any skill, in the form of FoldTag; only with Tenant; empty selects all
	Like   string   // Skeleton of the agents' names, to find look-alikes; only with Tenant, without Skill and Tag
	Names  []string // only these agents, read as consistently as by Store.Agent; only with Tenant, without Skill, Tag, Like, Bare and After
	Bare   bool     // results have tenant and name only, and may just have been deleted; without Skill, Tag and Like
	After  Key      // continue behind this agent; the zero Key starts at the beginning
	Limit  int      // maximum number of results, 1 or more
}

// OfNames returns the first Limit of the different Names, sorted.
func (q Query) OfNames() []string {
	names := slices.Compact(slices.Sorted(slices.Values(q.Names)))
	return names[:min(len(names), q.Limit)]
}

// Fits reports whether an agent matches the query's Like, Skill and Tag.
func (q Query) Fits(a *Agent) bool {
	if q.Like != "" {
		return Skeleton(a.Name) == q.Like
	}
	return q.Skill == "" && q.Tag == "" || slices.ContainsFunc(a.Card.Skills, func(s agentcard.Skill) bool {
		return (q.Skill == "" || q.Skill == s.ID) && (q.Tag == "" || slices.Contains(s.FoldedTags(), q.Tag))
	})
}

// SkillKey is a position in the list of a tenant's skills.
type SkillKey struct{ Skill, Agent string }

// SkillRow is one skill of one agent.
type SkillRow struct {
	agentcard.Skill
	Agent string
}

// Store keeps agents. Every write is atomic, and durable when its method returns. What a store returns may be shared with other readers and is
// read-only.
type Store interface {
	// Agent returns one agent, or the fault of Missing.
	Agent(ctx context.Context, key Key) (Record, error)
	// Agents returns the selected agents in order of tenant and name. When there are none, the list is empty. An agent that was just created may be
	// missing, here and in Skills.
	Agents(ctx context.Context, q Query) ([]Record, error)
	// Update reads an agent, nil when it does not exist, and writes what change makes of it, with its skills and its token. An error of change is
	// returned unchanged, and nothing is written. change may run more than once. If the request to remember is remembered already, and has not
	// expired at the new one's CreateTime, Update returns ErrRequestSeen. A record that is too large is an InvalidArgument fault with the reason
	// ITEM_TOO_LARGE.
	Update(ctx context.Context, key Key, change func(old *Record) (Change, error)) error
	// Skills returns at most limit skills of the tenant behind after, in order of skill id and agent name.
	Skills(ctx context.Context, tenant string, after SkillKey, limit int) ([]SkillRow, error)
	// Pulses returns the pulses of those of the agents that have one.
	Pulses(ctx context.Context, keys ...Key) (map[Key]Pulse, error)
	// UpdatePulse reads an agent's pulse, zero when it has none, and writes what change makes of it. It never writes to the agent itself. For an
	// agent that does not exist it returns the fault of Missing. change may run more than once.
	UpdatePulse(ctx context.Context, key Key, change func(old Pulse) (Pulse, error)) error
	// AgentByToken returns the agent whose token has the hash. If there is none, ok is false.
	AgentByToken(ctx context.Context, hash [sha256.Size]byte) (key Key, ok bool, err error)
	// Request returns a remembered request. If there is none, ok is false. It may still return one that has expired.
	Request(ctx context.Context, key RequestKey) (request Request, ok bool, err error)
}

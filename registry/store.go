package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"
)

// ErrRequestSeen is returned by Store.Update when the request to remember is remembered already.
var ErrRequestSeen = errors.New("the request id was used before")

// Record is an agent as a store keeps it, without Status.
type Record struct {
	Agent
	TokenHash [sha256.Size]byte // of the agent's credential; zero means none
}

// Change is what one Update writes, all of it or nothing.
type Change struct {
	Record   *Record  // the new state; nil deletes the agent, its pulse, its token and its skills
	Pulse    *Pulse   // replaces the pulse when not nil
	Remember *Request // kept until its ExpireTime when not nil
	Version  *Version // added when not nil, by a VersionStore; the one that is MaxVersions older goes
	DryRun   bool     // check everything and write nothing
}

// RequestKey names a retry-safe request; callers cannot see each other's.
type RequestKey struct{ Tenant, Caller, ID string }

// Request is a write that its caller may send again: what it asked, and what the first answer said.
type Request struct {
	Key        RequestKey
	Digest     [sha256.Size]byte // of what was asked
	Agent      string            // the agent that it wrote; empty for a semantic mapping
	Warnings   []Warning         // of the first answer
	Outcome    string            // of the first answer of an Apply; empty for other writes
	CreateTime time.Time
	ExpireTime time.Time
}

// Query selects agents.
type Query struct {
	Tenant string   // empty selects all tenants
	Skill  string   // the id of a skill that the agents have; only with Tenant; empty selects any
	Tag    string   // a tag of that skill, or of any, in the form of FoldTag; only with Tenant; empty selects any
	Like   string   // the Skeleton of the agents' names, which look-alikes share; only with Tenant, without Skill and Tag
	Names  []string // no other agents than these, read as Store.Agent reads them; only with Tenant, without Skill, Tag, Like, Bare and After
	Bare   bool     // what is returned has tenant and name alone, and may have been deleted a moment ago; without Skill, Tag and Like
	After  Key      // continue behind this agent; the zero Key starts at the beginning
	Limit  int      // how many at most; 1 or more
}

// OfNames returns the first of Names in order, each once and at most Limit of them.
func (q Query) OfNames() []string {
	names := slices.Compact(slices.Sorted(slices.Values(q.Names)))
	return names[:min(len(names), q.Limit)]
}

// Fits reports whether the card's name, or a skill of the card, has what q asks for.
func (q Query) Fits(c *Card) bool {
	if q.Like != "" {
		return Skeleton(c.Name) == q.Like
	}
	return q.Skill == "" && q.Tag == "" || slices.ContainsFunc(c.Skills, func(s Skill) bool {
		return (q.Skill == "" || q.Skill == s.ID) && (q.Tag == "" || slices.Contains(s.FoldedTags(), q.Tag))
	})
}

// SkillKey is a place in the list of a tenant's skills.
type SkillKey struct{ Skill, Agent string }

// SkillRow is one skill of one agent.
type SkillRow struct {
	Skill
	Agent string
}

// Store keeps agents. Every write is durable when its method returns, and atomic. What a store returns may be shared with
// other readers and is read-only.
type Store interface {
	// Agent returns one agent, or the fault of Missing.
	Agent(ctx context.Context, key Key) (Record, error)
	// Agents returns the selected agents in order of tenant and name; none is an empty list. One that was created a moment ago may be missing, as from Skills.
	Agents(ctx context.Context, q Query) ([]Record, error)
	// Update reads an agent, nil when it is missing, and writes what change makes of it, with its skills and its token. The
	// error of change is returned as it is and nothing is written. change must be safe to run again. A request that is
	// remembered already and not over at the new one's CreateTime makes it ErrRequestSeen; a record that is too large, an
	// InvalidArgument fault with the reason ITEM_TOO_LARGE.
	Update(ctx context.Context, key Key, change func(old *Record) (Change, error)) error
	// Skills returns the tenant's skills behind after, in order of skill id and agent name, at most limit.
	Skills(ctx context.Context, tenant string, after SkillKey, limit int) ([]SkillRow, error)
	// Pulses returns the pulses of those of the agents that have one.
	Pulses(ctx context.Context, keys ...Key) (map[Key]Pulse, error)
	// UpdatePulse reads an agent's pulse, zero when it has none, and writes what change makes of it. For an agent that does
	// not exist it returns the fault of Missing. It never writes to the agent itself. change must be safe to run again.
	UpdatePulse(ctx context.Context, key Key, change func(old Pulse) (Pulse, error)) error
	// AgentByToken returns whose token has the hash; ok is false when it is nobody's.
	AgentByToken(ctx context.Context, hash [sha256.Size]byte) (key Key, ok bool, err error)
	// Request returns a remembered request; ok is false when there is none. One that is over may still be returned.
	Request(ctx context.Context, key RequestKey) (request Request, ok bool, err error)
}

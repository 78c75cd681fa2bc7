package registry

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quorate/quorate/platform/fault"
)

const maxLimit = 1000

// Options are the optional settings of a Registry.
type Options struct {
	Client        *http.Client     // reads cards; must refuse addresses that are not public. Nil: no card is read by URL
	Logger        *slog.Logger     // nil discards
	Now           func() time.Time // nil is time.Now
	LeaseDuration time.Duration    // how long a beat or an answered probe counts; 0 is 30 s
	ProbeInterval time.Duration    // between two probes of an agent; 0 is 15 s; keep it well below LeaseDuration
	Signatures    SignaturePolicy  // what a card's signature must be; empty is SignaturesIfPresent
	Strict        bool             // errors instead of warnings: a rule's target that is not registered, a name like another's

	// Denied says in words what an operator can do when a server answers 401 or 403 instead of with a card. Nil has one text for all.
	Denied func(response *http.Response) string

	// RefreshInterval is how long a card that was read by URL counts when its server says nothing; 0 is 10 min.
	RefreshInterval time.Duration
}

// Registry is the registry of all tenants; it is safe for concurrent use.
type Registry struct {
	store         Store
	client        *http.Client
	logger        *slog.Logger
	now           func() time.Time
	leaseDuration time.Duration
	probeInterval time.Duration
	fresh         chan Key     // registered a moment ago and not heard of yet
	log           ChangeLog    // nil when the store has none
	mappings      MappingStore // nil when the store has none
	directory     *Directory
	bell          bell            // rings with each write of this process that may be in the log
	versions      VersionStore    // nil when the store has none
	keys          SigningKeyStore // nil when the store has none
	signatures    SignaturePolicy
	strict        bool
	denied        func(*http.Response) string // nil has one text for all
	refreshEvery  time.Duration
	unsure        unsureCards
}

// New returns a registry over store.
func New(store Store, o Options) *Registry {
	r := &Registry{
		client: o.Client, logger: o.Logger, now: o.Now,
		leaseDuration: o.LeaseDuration, probeInterval: o.ProbeInterval, fresh: make(chan Key, 256),
		signatures: o.Signatures, strict: o.Strict, denied: o.Denied, refreshEvery: o.RefreshInterval,
	}
	if r.logger == nil {
		r.logger = slog.New(slog.DiscardHandler)
	}
	if r.now == nil {
		r.now = time.Now
	}
	if r.leaseDuration <= 0 {
		r.leaseDuration = 30 * time.Second
	}
	if r.probeInterval <= 0 {
		r.probeInterval = 15 * time.Second
	}
	if r.refreshEvery <= 0 {
		r.refreshEvery = 10 * time.Minute
	}
	r.log, _ = store.(ChangeLog)
	r.mappings, _ = store.(MappingStore)
	r.directory = &Directory{registry: r}
	r.versions, _ = store.(VersionStore)
	r.keys, _ = store.(SigningKeyStore)
	r.store = &announcer{Store: store, now: r.now, bell: &r.bell}
	if r.keys != nil {
		r.store = &rechecking{Store: r.store, recheck: r.recheckAgent, later: r.recheckLater}
	}
	return r
}

// Agent returns one agent with its status, or a NotFound fault with the reason AGENT_NOT_FOUND.
func (r *Registry) Agent(ctx context.Context, tenant, name string) (Agent, error) {
	record, err := r.store.Agent(ctx, Key{tenant, name})
	if err != nil {
		return Agent{}, err
	}
	agents, err := r.withStatus(ctx, []Record{record})
	if err != nil {
		return Agent{}, err
	}
	return agents[0], nil
}

// AgentExists reports whether the tenant has an agent of that name. Its errors are the store's own.
func (r *Registry) AgentExists(ctx context.Context, tenant, name string) (bool, error) {
	_, err := r.store.Agent(ctx, Key{tenant, name})
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil, err
}

// Agents returns the tenant's agents behind after, in order of name, with their status; limit is at most 1,000.
func (r *Registry) Agents(ctx context.Context, tenant, after string, limit int) ([]Agent, error) {
	return r.agents(ctx, Query{Tenant: tenant, After: Key{tenant, after}, Limit: bound(limit)})
}

// AgentsBySkill returns the tenant's agents behind after that have the skill, in order of name, with their status; limit is
// at most 1,000. An unknown skill is an empty list.
func (r *Registry) AgentsBySkill(ctx context.Context, tenant, skill, after string, limit int) ([]Agent, error) {
	return r.AgentsWith(ctx, tenant, skill, "", after, limit)
}

// AgentsWith returns the tenant's agents behind after that have a skill with this id or this tag, or both where both are given, in
// order of name, with their status; limit is at most 1,000. Upper and lower case of a tag are the same.
func (r *Registry) AgentsWith(ctx context.Context, tenant, skill, tag, after string, limit int) ([]Agent, error) {
	if skill == "" && tag == "" {
		return nil, fault.Invalid("skill_id", "SKILL_MISSING", "a skill id or a tag is needed")
	}
	return r.agents(ctx, Query{Tenant: tenant, Skill: skill, Tag: FoldTag(tag), After: Key{tenant, after}, Limit: bound(limit)})
}

// AgentSkill is a skill together with the agent that has it.
type AgentSkill struct {
	Skill
	Agent  string
	Status Status
}

// Skills returns the tenant's skills behind after, in order of skill id and agent name; limit is at most 1,000.
func (r *Registry) Skills(ctx context.Context, tenant string, after SkillKey, limit int) ([]AgentSkill, error) {
	rows, err := r.store.Skills(ctx, tenant, after, bound(limit))
	if err != nil {
		return nil, err
	}
	keys := make([]Key, len(rows))
	for i, row := range rows {
		keys[i] = Key{tenant, row.Agent}
	}
	slices.SortFunc(keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	pulses, err := r.store.Pulses(ctx, slices.Compact(keys)...)
	if err != nil {
		return nil, err
	}
	now := r.now()
	skills := make([]AgentSkill, len(rows))
	for i, row := range rows {
		skills[i] = AgentSkill{row.Skill, row.Agent, pulses[Key{tenant, row.Agent}].At(now)}
	}
	return skills, nil
}

// Delete removes an agent, its status and its token; with an etag only if it is still the agent's: else it is a Conflict fault with the
// reason ETAG_MISMATCH. A name that is nobody's is a NotFound fault with the reason AGENT_NOT_FOUND.
func (r *Registry) Delete(ctx context.Context, tenant, name, etag string) error {
	return r.Once(Retry{}).Delete(ctx, tenant, name, etag)
}

// Delete is Registry.Delete.
func (w Writer) Delete(ctx context.Context, tenant, name, etag string) error {
	key := Key{tenant, name}
	_, err := w.update(ctx, key, []string{"delete", name, etag}, nil, func(old *Record) (Change, error) {
		if old == nil {
			return Change{}, Missing(key)
		}
		return Change{}, old.checkEtag(etag)
	})
	return err
}

// SetTokenHash makes hash, the SHA-256 of a random token, the agent's one credential and ends the one before. A name that is nobody's is a
// NotFound fault with the reason AGENT_NOT_FOUND.
func (r *Registry) SetTokenHash(ctx context.Context, tenant, name string, hash [sha256.Size]byte) error {
	return r.Once(Retry{}).SetTokenHash(ctx, tenant, name, hash)
}

// SetTokenHash is Registry.SetTokenHash. A retry changes nothing and is a FailedPrecondition fault with the reason TOKEN_SHOWN_BEFORE: the token of
// the first request cannot be answered again.
func (w Writer) SetTokenHash(ctx context.Context, tenant, name string, hash [sha256.Size]byte) error {
	key := Key{tenant, name}
	replayed, err := w.update(ctx, key, []string{"token", name}, nil, func(old *Record) (Change, error) {
		if old == nil {
			return Change{}, Missing(key)
		}
		next := *old
		next.TokenHash = hash
		return Change{Record: &next}, nil
	})
	if err == nil && replayed != nil {
		return fault.New(fault.FailedPrecondition, "TOKEN_SHOWN_BEFORE",
			"the request %q made a token of %s that was shown then and is kept as a hash; if that answer was lost, use a new request id, which ends that token",
			w.retry.RequestID, name).With("agent", name)
	}
	return err
}

// AgentByTokenHash returns whose credential has the hash, or an Unauthenticated fault with the reason TOKEN_INVALID.
func (r *Registry) AgentByTokenHash(ctx context.Context, hash [sha256.Size]byte) (tenant, name string, err error) {
	key, ok, err := r.store.AgentByToken(ctx, hash)
	if err != nil {
		return "", "", err
	}
	if !ok {
		return "", "", fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid")
	}
	return key.Tenant, key.Name, nil
}

func (r *Registry) agents(ctx context.Context, q Query) ([]Agent, error) {
	records, err := r.store.Agents(ctx, q)
	if err != nil {
		return nil, err
	}
	return r.withStatus(ctx, records)
}

// withStatus returns the agents of records with the status of this moment.
func (r *Registry) withStatus(ctx context.Context, records []Record) ([]Agent, error) {
	keys := make([]Key, len(records))
	for i := range records {
		keys[i] = records[i].Key()
	}
	pulses, err := r.store.Pulses(ctx, keys...)
	if err != nil {
		return nil, err
	}
	now := r.now()
	agents := make([]Agent, len(records))
	for i := range records {
		agents[i] = records[i].Agent
		agents[i].Status = pulses[keys[i]].At(now)
		agents[i].Source.SeenTime = pulses[keys[i]].SeenTime
	}
	return agents, nil
}

func bound(limit int) int { return min(max(limit, 1), maxLimit) }

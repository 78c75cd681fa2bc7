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
	"github.com/quorate/quorate/registry/agentcard"
)

const maxLimit = 1000

// Options are the optional settings of a Registry.
type Options struct {
	Client        *http.Client     // reads cards; must refuse non-public addresses. Nil: no card can be read by URL
	Logger        *slog.Logger     // nil discards
	Now           func() time.Time // nil is time.Now
	LeaseDuration time.Duration    // how long a heartbeat or an answered probe counts; 0 is 30 s
	Signatures    SignaturePolicy  // what signatures a card must have; empty is SignaturesIfPresent
	CardChanges   CardChanges      // whose changes take effect at once; empty is CardChangesAllow
	Strict        bool             // refuse what is otherwise a warning: a consultation target that is not registered, a name like another's

	// Denied returns the advice for operators when a server answers 401 or 403 instead of with a card. Nil uses one text for all servers.
	Denied func(response *http.Response) string

	// Unspoken returns why nobody here can call the agent with a card, as what follows "the agent"; empty when it can be called. Nil is not asked. It is a
	// warning: others may call the agent.
	Unspoken func(card agentcard.Card) string
}

// Registry is the registry of all tenants; it is safe for concurrent use.
type Registry struct {
	store         Store
	client        *http.Client
	logger        *slog.Logger
	now           func() time.Time
	leaseDuration time.Duration
	fresh         chan Key     // agents that were just registered and not probed yet
	log           ChangeLog    // nil when the store has none
	recent        RecentPulses // nil when the store has none
	mappings      MappingStore // nil when the store has none
	directory     *Directory
	written       broadcasts      // announces each write of this process that may be in the log
	feeds         feeds           // what watchers share
	versions      VersionStore    // nil when the store has none
	keys          SigningKeyStore // nil when the store has none
	signatures    SignaturePolicy
	cardChanges   CardChanges
	strict        bool
	denied        func(*http.Response) string // Options.Denied
	unspoken      func(agentcard.Card) string // Options.Unspoken
	uncertain     uncertainCards
}

// New returns a registry over store.
func New(store Store, o Options) *Registry {
	r := &Registry{
		client: o.Client, logger: o.Logger, now: o.Now,
		leaseDuration: o.LeaseDuration, fresh: make(chan Key, 256),
		signatures: o.Signatures, cardChanges: o.CardChanges, strict: o.Strict, denied: o.Denied, unspoken: o.Unspoken,
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
	r.log, _ = store.(ChangeLog)
	r.recent, _ = store.(RecentPulses)
	r.mappings, _ = store.(MappingStore)
	r.directory = &Directory{registry: r}
	r.versions, _ = store.(VersionStore)
	r.keys, _ = store.(SigningKeyStore)
	r.store = &notifyingStore{Store: store, now: r.now, written: &r.written, renewed: r.directory.renewed}
	if r.keys != nil {
		r.store = &recheckingStore{Store: r.store, recheck: r.recheckAgent, later: r.recheckLater}
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

// AgentExists reports whether the tenant has an agent of that name. An error is the store's own.
func (r *Registry) AgentExists(ctx context.Context, tenant, name string) (bool, error) {
	_, err := r.store.Agent(ctx, Key{tenant, name})
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil, err
}

// Agents returns at most limit (up to 1,000) agents of the tenant whose names come behind after, in order of name, with their status.
func (r *Registry) Agents(ctx context.Context, tenant, after string, limit int) ([]Agent, error) {
	return r.agents(ctx, Query{Tenant: tenant, After: Key{tenant, after}, Limit: clampLimit(limit)})
}

// AgentsWith is Agents for the agents that have a skill with the given id, the given tag, or both when both are given. Tags match in upper and lower
// case. For an unknown skill or tag the list is empty.
func (r *Registry) AgentsWith(ctx context.Context, tenant, skill, tag, after string, limit int) ([]Agent, error) {
	if skill == "" && tag == "" {
		return nil, fault.Invalid("skill_id", "SKILL_MISSING", "a skill id or a tag is needed")
	}
	return r.agents(ctx, Query{Tenant: tenant, Skill: skill, Tag: agentcard.FoldTag(tag), After: Key{tenant, after}, Limit: clampLimit(limit)})
}

// AgentSkill is a skill together with the agent that has it.
type AgentSkill struct {
	agentcard.Skill
	Agent  string
	Status Status
}

// Skills returns at most limit (up to 1,000) skills of the tenant behind after, in order of skill id and agent name.
func (r *Registry) Skills(ctx context.Context, tenant string, after SkillKey, limit int) ([]AgentSkill, error) {
	rows, err := r.store.Skills(ctx, tenant, after, clampLimit(limit))
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

// Delete removes an agent, its status and its token. With an etag it does so only if the agent still has it; otherwise the result is a Conflict fault
// with the reason ETAG_MISMATCH. An agent that does not exist is a NotFound fault with the reason AGENT_NOT_FOUND.
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

// SetTokenHash gives the agent a new credential, by the SHA-256 hash of a random token, and revokes the one before. An agent that does not exist is a
// NotFound fault with the reason AGENT_NOT_FOUND.
//
// A retry changes nothing and returns a FailedPrecondition fault with the reason TOKEN_SHOWN_BEFORE, because
// the token of the first request cannot be shown again.
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

// AgentByTokenHash returns the agent whose token has the hash, or an Unauthenticated fault with the reason TOKEN_INVALID.
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

// withStatus returns the agents of records with their current status.
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
		if agents[i].Source.found() {
			agents[i].Source.SeenTime = pulses[keys[i]].SeenTime
		}
	}
	return agents, nil
}

func clampLimit(limit int) int { return min(max(limit, 1), maxLimit) }

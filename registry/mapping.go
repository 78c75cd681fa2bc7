package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry/agentcard"
	"github.com/quorate/quorate/registry/compat"
)

// Mapping is an admin's statement that an output of one semantic type may be given to an input of another.
type Mapping struct {
	From        string    `json:"from"`
	To          string    `json:"to"`
	Description string    `json:"description,omitempty"`
	Etag        string    `json:"etag"`
	CreateTime  time.Time `json:"created_at"`
	UpdateTime  time.Time `json:"updated_at"`
}

// Name returns the mapping's name, such as document-comment.
func (m Mapping) Name() string { return m.From + "-" + m.To }

// MappingChange is what UpdateMappings writes, in one atomic step.
type MappingChange struct {
	Mappings []Mapping // all of the tenant's
	Remember *Request  // kept until its ExpireTime when not nil
}

// MappingStore is implemented by a Store that keeps semantic mappings.
type MappingStore interface {
	// Mappings returns the tenant's mappings in order of name. When there are none, the list is empty.
	Mappings(ctx context.Context, tenant string) ([]Mapping, error)
	// UpdateMappings reads the tenant's mappings and writes what change makes of them, with an entry in the change log. An error of change is
	// returned unchanged, and nothing is written. change may run more than once. If the request to remember is remembered already, it returns
	// ErrRequestSeen.
	UpdateMappings(ctx context.Context, tenant string, change func(old []Mapping) (MappingChange, error)) error
}

// Mappings returns the tenant's mappings, at most twenty, in order of name.
func (r *Registry) Mappings(ctx context.Context, tenant string) ([]Mapping, error) {
	if r.mappings == nil {
		return nil, nil
	}
	return r.mappings.Mappings(ctx, tenant)
}

// Mapping returns one mapping, or a NotFound fault with the reason MAPPING_NOT_FOUND.
func (r *Registry) Mapping(ctx context.Context, tenant, name string) (Mapping, error) {
	list, err := r.Mappings(ctx, tenant)
	if err != nil {
		return Mapping{}, err
	}
	if at := mappingAt(list, name); at >= 0 {
		return list[at], nil
	}
	return Mapping{}, mappingMissing(name)
}

// CreateMapping adds a mapping. If it exists already or is built in, the result is an AlreadyExists fault with the reason MAPPING_EXISTS; if it would
// close a cycle, a FailedPrecondition fault with the reason MAPPING_CYCLE.
func (r *Registry) CreateMapping(ctx context.Context, tenant string, m Mapping, retry Retry) (Mapping, error) {
	if err := m.validate(); err != nil {
		return Mapping{}, err
	}
	m.CreateTime = r.now().UTC()
	m.stamp(m.CreateTime)
	replayed, err := r.changeMappings(ctx, tenant, retry, []string{"create", m.From, m.To, m.Description}, func(old []Mapping) ([]Mapping, error) {
		if mappingAt(old, m.Name()) >= 0 || compat.BuiltIn(m.From, m.To) {
			return nil, fault.New(fault.AlreadyExists, "MAPPING_EXISTS", "an output of the type %s may be given as %s already", m.From, m.To).With("mapping", m.Name())
		}
		if path := compat.Path(relations(old), m.To, m.From); path != nil {
			return nil, fault.New(fault.FailedPrecondition, "MAPPING_CYCLE",
				"the mapping closes a cycle: there are mappings %s already", strings.Join(path, " → ")).With("mapping", m.Name())
		}
		next := append(slices.Clone(old), m)
		slices.SortFunc(next, func(a, b Mapping) int { return strings.Compare(a.Name(), b.Name()) })
		return next, nil
	})
	if err == nil && replayed {
		return r.Mapping(ctx, tenant, m.Name())
	}
	return m, err
}

// UpdateMapping changes a mapping's description. A stale etag is a Conflict fault with the reason ETAG_MISMATCH.
func (r *Registry) UpdateMapping(ctx context.Context, tenant, name, etag, description string, retry Retry) (Mapping, error) {
	if utf8.RuneCountInString(description) > agentcard.MaxDescription {
		return Mapping{}, fault.Invalid("semantic_mapping.description", "MAPPING_INVALID", "more than %d characters", agentcard.MaxDescription)
	}
	now := r.now().UTC()
	var made Mapping
	replayed, err := r.changeMappings(ctx, tenant, retry, []string{"update", name, etag, description}, func(old []Mapping) ([]Mapping, error) {
		at, err := mappingToChange(old, name, etag)
		if err != nil {
			return nil, err
		}
		next := slices.Clone(old)
		next[at].Description = description
		next[at].stamp(later(now, old[at].UpdateTime.Add(1)))
		made = next[at]
		return next, nil
	})
	if err == nil && replayed {
		return r.Mapping(ctx, tenant, name)
	}
	return made, err
}

// DeleteMapping removes a mapping. A stale etag is a Conflict fault with the reason ETAG_MISMATCH.
func (r *Registry) DeleteMapping(ctx context.Context, tenant, name, etag string, retry Retry) error {
	_, err := r.changeMappings(ctx, tenant, retry, []string{"delete", name, etag}, func(old []Mapping) ([]Mapping, error) {
		at, err := mappingToChange(old, name, etag)
		if err != nil {
			return nil, err
		}
		return slices.Delete(slices.Clone(old), at, at+1), nil
	})
	return err
}

// changeMappings writes what change makes of the mappings, once per request id. replayed is true when an earlier request has done so.
func (r *Registry) changeMappings(
	ctx context.Context, tenant string, retry Retry, content []string, change func([]Mapping) ([]Mapping, error),
) (replayed bool, err error) {
	if r.mappings == nil {
		return false, unsupported("semantic mappings")
	}
	request, done, err := r.begin(ctx, Key{Tenant: tenant}, retry, content)
	if err != nil || done {
		return done, err
	}
	err = r.mappings.UpdateMappings(ctx, tenant, func(old []Mapping) (MappingChange, error) {
		next, err := change(old)
		return MappingChange{Mappings: next, Remember: request}, err
	})
	if err != nil && request != nil {
		_, err = r.resolveRace(ctx, Key{Tenant: tenant}, retry, content, err)
		return true, err
	}
	if err == nil {
		r.written.notify(tenant)
	}
	return false, err
}

func (m *Mapping) validate() error {
	for field, value := range map[string]string{"from_type": m.From, "to_type": m.To} {
		if !slices.Contains(agentcard.SemanticTypes, value) {
			return fault.Invalid("semantic_mapping."+field, "MAPPING_INVALID", "%q is not one of %s", fault.Clip(value), strings.Join(agentcard.SemanticTypes, ", "))
		}
	}
	if m.From == m.To {
		return fault.Invalid("semantic_mapping.to_type", "MAPPING_INVALID", "a type fits itself without a mapping")
	}
	if utf8.RuneCountInString(m.Description) > agentcard.MaxDescription {
		return fault.Invalid("semantic_mapping.description", "MAPPING_INVALID", "more than %d characters", agentcard.MaxDescription)
	}
	return nil
}

// stamp gives the mapping the time of its change and a new etag.
func (m *Mapping) stamp(at time.Time) {
	m.UpdateTime = at
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %s", m.Name(), m.CreateTime.UnixNano(), at.UnixNano(), m.Description))
	m.Etag = hex.EncodeToString(sum[:16])
}

func mappingAt(list []Mapping, name string) int {
	return slices.IndexFunc(list, func(m Mapping) bool { return m.Name() == name })
}

func mappingMissing(name string) error {
	return fault.New(fault.NotFound, "MAPPING_NOT_FOUND", "no mapping is named %q", fault.Clip(name)).With("mapping", fault.Clip(name))
}

func mappingToChange(list []Mapping, name, etag string) (int, error) {
	at := mappingAt(list, name)
	if at < 0 {
		return 0, mappingMissing(name)
	}
	if etag != "" && etag != "*" && etag != list[at].Etag {
		return 0, fault.New(fault.Conflict, "ETAG_MISMATCH", "mapping %q has changed since it was read; read it again and retry", name).
			With("mapping", name).With("etag", list[at].Etag)
	}
	return at, nil
}

// relations returns what the mappings say.
func relations(list []Mapping) []compat.Relation {
	all := make([]compat.Relation, len(list))
	for i := range list {
		all[i] = compat.Relation{From: list[i].From, To: list[i].To}
	}
	return all
}

// typeTable reads the tenant's mappings and returns the table with them.
func (r *Registry) typeTable(ctx context.Context, tenant string) (*compat.Table, error) {
	mappings, err := r.Mappings(ctx, tenant)
	if err != nil {
		return nil, err
	}
	return compat.NewTable(relations(mappings)), nil
}

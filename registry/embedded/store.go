// Package embedded keeps agents in one bbolt file through package boltdb, with the same model of sorted keys as the other stores. Only one process
// has the file open at a time, so decoded items can be cached.
package embedded

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// Buckets, with their keys.
var (
	bucketAgents   = []byte("registry_agents")         // tenant, name: serial, item as JSON
	bucketCards    = []byte("registry_cards")          // tenant, name: the card's bytes
	bucketSkills   = []byte("registry_skills")         // tenant, skill, agent: the skill as JSON
	bucketTags     = []byte("registry_tags")           // tenant, tag, agent: nothing
	bucketLooks    = []byte("registry_looks")          // tenant, skeleton of the name, agent: nothing
	bucketPulses   = []byte("registry_pulses")         // tenant, name: serial, the pulse as JSON
	bucketTokens   = []byte("registry_tokens")         // hash: tenant, name
	bucketRequests = []byte("registry_requests")       // tenant, caller, id: the request as JSON
	bucketExpiries = []byte("registry_request_expiry") // time, then the key of the request: nothing
	bucketChanges  = []byte("registry_changes")        // tenant, revision in hexadecimal: the entry as JSON
	bucketHeads    = []byte("registry_heads")          // tenant: the latest revision
	bucketVersions = []byte("registry_versions")       // tenant, name, number in hexadecimal: the version as JSON
	bucketKeys     = []byte("registry_keys")           // tenant, id: the signing key as JSON
	bucketMappings = []byte("registry_mappings")       // tenant: all its semantic mappings as JSON
)

var buckets = [][]byte{
	bucketAgents, bucketCards, bucketSkills, bucketPulses, bucketTokens, bucketRequests, bucketExpiries, bucketChanges, bucketHeads,
	bucketVersions, bucketKeys, bucketMappings, bucketTags, bucketLooks,
}

// usualPage is the default size of a page.
const usualPage = 50

var _ registry.Store = (*Store)(nil)

// Store is a registry.Store; it is safe for concurrent use.
type Store struct {
	db      *boltdb.DB
	records cache[*registry.Record]
	pulses  cache[registry.Pulse]
}

// New returns a store in db. It uses its own buckets only. The caller closes db.
func New(ctx context.Context, db *boltdb.DB) (*Store, error) {
	err := db.Update(ctx, func(tx *bbolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("creating the registry's buckets: %w", err)
	}
	return &Store{db: db}, nil
}

// view runs fn on one committed state unless ctx has ended.
func (s *Store) view(ctx context.Context, fn func(tx *bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.View(fn)
}

// Agent returns one agent, or the fault of registry.Missing.
func (s *Store) Agent(ctx context.Context, key registry.Key) (record registry.Record, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		record, err = s.reader(tx).agent(key)
		return err
	})
	return record, err
}

// Agents returns the selected agents in order of tenant and name.
func (s *Store) Agents(ctx context.Context, q registry.Query) (records []registry.Record, err error) {
	if q.Names != nil {
		return s.named(ctx, q)
	}
	if (q.Skill != "" || q.Tag != "" || q.Like != "") && q.Tenant == "" {
		return nil, errors.New("skills, tags and names are looked up in one tenant only")
	}
	bucket, prefix, after := place(q)
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		r := s.reader(tx)
		records = make([]registry.Record, 0, min(q.Limit, usualPage))
		return scan(tx.Bucket(bucket), prefix, after, math.MaxInt, func(key, _ []byte) error {
			parts := boltdb.Split(key) // tenant, perhaps skill or tag, name
			record := registry.Record{Agent: registry.Agent{Tenant: parts[0], Name: parts[len(parts)-1]}}
			if !q.Bare {
				if record, err = r.agent(record.Key()); err != nil {
					return err
				}
			}
			if q.Bare || q.Fits(&record.Agent) {
				records = append(records, record)
			}
			if len(records) >= q.Limit {
				return errEnough
			}
			return nil
		})
	})
	return records, err
}

// place returns the bucket that lists the agents of q, the prefix of their keys, and the key behind which to begin.
func place(q registry.Query) (bucket, prefix, after []byte) {
	within := func(path ...string) ([]byte, []byte) {
		return boltdb.Prefix(path...), boltdb.Key(append(path, q.After.Name)...)
	}
	bucket = bucketAgents
	switch {
	case q.Skill != "":
		bucket = bucketSkills
		prefix, after = within(q.Tenant, q.Skill)
	case q.Tag != "":
		bucket = bucketTags
		prefix, after = within(q.Tenant, q.Tag)
	case q.Like != "":
		bucket = bucketLooks
		prefix, after = within(q.Tenant, q.Like)
	case q.Tenant != "":
		prefix, after = within(q.Tenant)
	case q.After != (registry.Key{}):
		after = boltdb.Key(q.After.Tenant, q.After.Name)
	}
	return bucket, prefix, after
}

// named is Agents for names.
func (s *Store) named(ctx context.Context, q registry.Query) (records []registry.Record, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		r := s.reader(tx)
		for _, name := range q.OfNames() {
			record, err := r.agent(registry.Key{Tenant: q.Tenant, Name: name})
			switch {
			case err == nil:
				records = append(records, record)
			case fault.KindOf(err) != fault.NotFound:
				return err
			}
		}
		return nil
	})
	return records, err
}

// Skills returns the tenant's skills behind after, in order of skill id and agent name.
func (s *Store) Skills(ctx context.Context, tenant string, after registry.SkillKey, limit int) (rows []registry.SkillRow, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		start := boltdb.Key(tenant, after.Skill, after.Agent)
		return scan(tx.Bucket(bucketSkills), boltdb.Prefix(tenant), start, limit, func(key, value []byte) error {
			row := registry.SkillRow{Agent: boltdb.Split(key)[2]}
			if err := decode("skill", value, &row.Skill); err != nil {
				return err
			}
			rows = append(rows, row)
			return nil
		})
	})
	return rows, err
}

// Pulses returns the pulses of those of the agents that have one.
func (s *Store) Pulses(ctx context.Context, keys ...registry.Key) (map[registry.Key]registry.Pulse, error) {
	pulses := make(map[registry.Key]registry.Pulse, len(keys))
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		r := s.reader(tx)
		for _, key := range keys {
			p, ok, err := r.pulse(key)
			if err != nil {
				return err
			}
			if ok {
				pulses[key] = p
			}
		}
		return nil
	})
	return pulses, err
}

// AgentByToken returns the agent whose token has the hash.
func (s *Store) AgentByToken(ctx context.Context, hash [sha256.Size]byte) (key registry.Key, ok bool, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		if value := tx.Bucket(bucketTokens).Get(hash[:]); value != nil {
			parts := boltdb.Split(value)
			key, ok = registry.Key{Tenant: parts[0], Name: parts[1]}, true
		}
		return nil
	})
	return key, ok, err
}

// Request returns a remembered request.
func (s *Store) Request(ctx context.Context, key registry.RequestKey) (request registry.Request, ok bool, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		request, ok, err = readRequest(tx, key)
		return err
	})
	return request, ok, err
}

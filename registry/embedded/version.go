package embedded

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

var _ registry.VersionStore = (*Store)(nil)

// versionItem is a version without what its key says. The card's bytes would take a third more as base64 in it; so that they always fit, they have a
// row of their own, whose key ends with versionCard.
type versionItem struct {
	Hash        string                     `json:"hash"`
	CardURI     string                     `json:"card_uri,omitempty"`
	CardVersion string                     `json:"card_version"`
	Breaking    []agentcard.BreakingChange `json:"breaking_changes,omitempty"`
	CreateTime  time.Time                  `json:"created_at"`
}

// versionCard is the end of the key of the row with a version's card.
const versionCard = "card"

// versionID sorts by number within the agent.
func versionID(key registry.Key, number int64) []byte {
	return boltdb.Key(key.Tenant, key.Name, fmt.Sprintf("%016x", number))
}

func versionCardID(key registry.Key, number int64) []byte {
	return boltdb.Key(key.Tenant, key.Name, fmt.Sprintf("%016x", number), versionCard)
}

// Version returns one version, or the fault of registry.MissingVersion.
func (s *Store) Version(ctx context.Context, key registry.Key, number int64) (v registry.Version, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		value := tx.Bucket(bucketVersions).Get(versionID(key, number))
		if value == nil {
			return registry.MissingVersion(key, number)
		}
		v, err = readVersion(tx, key, number, value)
		return err
	})
	return v, err
}

// Versions returns the agent's versions with numbers less than before, newest first.
func (s *Store) Versions(ctx context.Context, key registry.Key, before int64, limit int) (list []registry.Version, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		var found []registry.Version // an agent has MaxVersions at most, so all of them are read
		err := scan(tx.Bucket(bucketVersions), boltdb.Prefix(key.Tenant, key.Name), nil, 2*registry.MaxVersions, func(id, value []byte) error {
			parts := boltdb.Split(id)
			number, err := strconv.ParseInt(parts[2], 16, 64)
			if err != nil || len(parts) > 3 || (before > 0 && number >= before) {
				return err
			}
			v, err := readVersion(tx, key, number, value)
			found = append(found, v)
			return err
		})
		for i := len(found) - 1; i >= 0 && len(list) < limit; i-- {
			list = append(list, found[i])
		}
		return err
	})
	return list, err
}

func readVersion(tx *bbolt.Tx, key registry.Key, number int64, value []byte) (registry.Version, error) {
	var i versionItem
	if err := decode("version", value, &i); err != nil {
		return registry.Version{}, err
	}
	return registry.Version{
		Agent: key.Name, Number: number, Hash: i.Hash, CardURI: i.CardURI, CardVersion: i.CardVersion, Breaking: i.Breaking,
		CreateTime: i.CreateTime, RawCard: bytes.Clone(tx.Bucket(bucketVersions).Get(versionCardID(key, number))),
	}, nil
}

// version adds the new version and deletes the oldest one beyond the limit, or all when the agent is deleted.
func (w *writer) version(c registry.Change) {
	if v := c.Version; v != nil && c.Record != nil {
		value := w.encoded("the version", versionItem{
			Hash: v.Hash, CardURI: v.CardURI, CardVersion: v.CardVersion, Breaking: v.Breaking, CreateTime: v.CreateTime,
		})
		w.put(bucketVersions, versionID(w.key, v.Number), value)
		w.put(bucketVersions, versionCardID(w.key, v.Number), v.RawCard)
		w.remove(bucketVersions, versionID(w.key, v.Number-registry.MaxVersions))
		w.remove(bucketVersions, versionCardID(w.key, v.Number-registry.MaxVersions))
	}
	if c.Record != nil {
		return
	}
	var all [][]byte
	err := scan(w.tx.Bucket(bucketVersions), boltdb.Prefix(w.key.Tenant, w.key.Name), nil, 2*registry.MaxVersions, func(id, _ []byte) error {
		all = append(all, bytes.Clone(id))
		return nil
	})
	if err != nil && w.err == nil {
		w.err = err
	}
	for _, id := range all {
		w.remove(bucketVersions, id)
	}
}

package embedded

import (
	"bytes"
	"encoding/binary"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
)

// sweepSize is how many expired requests one write deletes: more than one, so that they cannot pile up.
const sweepSize = 16

func requestID(key registry.RequestKey) []byte { return boltdb.Key(key.Tenant, key.Caller, key.ID) }

// expiryID sorts by time.
func expiryID(at time.Time, request []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(max(0, at.UnixNano()))), request...)
}

func readRequest(tx *bbolt.Tx, key registry.RequestKey) (request registry.Request, ok bool, err error) {
	value := tx.Bucket(bucketRequests).Get(requestID(key))
	if value == nil {
		return registry.Request{}, false, nil
	}
	err = decode("request", value, &request)
	return request, err == nil, err
}

// request remembers next, unless it is remembered already, and deletes some expired ones.
func (w *writer) request(next *registry.Request) {
	if next == nil || w.err != nil {
		return
	}
	old, ok, err := readRequest(w.tx, next.Key)
	if err != nil {
		w.err = err
		return
	}
	if ok && old.ExpireTime.After(next.CreateTime) {
		w.err = registry.ErrRequestSeen
		return
	}
	w.sweep(next.CreateTime)
	id := requestID(next.Key)
	if ok {
		w.remove(bucketExpiries, expiryID(old.ExpireTime, id))
	}
	w.put(bucketRequests, id, w.encoded("the request", next))
	w.put(bucketExpiries, expiryID(next.ExpireTime, id), []byte{})
}

func (w *writer) sweep(now time.Time) {
	var over [][]byte
	cursor := w.tx.Bucket(bucketExpiries).Cursor()
	limit := expiryID(now, nil)
	for key, _ := cursor.First(); key != nil && len(over) < sweepSize && bytes.Compare(key, limit) <= 0; key, _ = cursor.Next() {
		over = append(over, bytes.Clone(key))
	}
	for _, key := range over {
		w.remove(bucketExpiries, key)
		w.remove(bucketRequests, key[len(limit):])
	}
}

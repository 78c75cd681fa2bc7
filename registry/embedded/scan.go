package embedded

import (
	"bytes"
	"errors"

	"go.etcd.io/bbolt"
)

// errEnough ends a scan.
var errEnough = errors.New("enough")

// scan calls each for the keys with prefix that sort behind after, at most limit, until it returns an error. errEnough ends the scan without an
// error.
func scan(bucket *bbolt.Bucket, prefix, after []byte, limit int, each func(key, value []byte) error) error {
	cursor := bucket.Cursor()
	start := prefix
	if bytes.Compare(after, prefix) > 0 {
		start = after
	}
	key, value := cursor.Seek(start)
	if key != nil && bytes.Equal(key, after) {
		key, value = cursor.Next()
	}
	for n := 0; n < limit && key != nil && bytes.HasPrefix(key, prefix); n++ {
		if err := each(key, value); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
		key, value = cursor.Next()
	}
	return nil
}

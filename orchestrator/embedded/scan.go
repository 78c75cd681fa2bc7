package embedded

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// scan calls visit for the keys with a prefix, in order, from behind after if that is given, until visit returns false.
func scan(b *bbolt.Bucket, prefix, after []byte, visit func(key []byte) (more bool, err error)) error {
	c := b.Cursor()
	start := prefix
	if len(after) > 0 {
		start = after
	}
	key, _ := c.Seek(start)
	if len(after) > 0 && bytes.Equal(key, after) {
		key, _ = c.Next()
	}
	for ; key != nil && bytes.HasPrefix(key, prefix); key, _ = c.Next() {
		more, err := visit(key)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// scanBack calls visit for the keys with a prefix, in reverse order, from before before if that is given, until visit returns false.
func scanBack(b *bbolt.Bucket, prefix, before []byte, visit func(key []byte) (more bool, err error)) error {
	c := b.Cursor()
	end := before
	if len(end) == 0 {
		end = keyAfter(prefix)
	}
	key, _ := c.Seek(end)
	if key == nil {
		key, _ = c.Last()
	}
	for key != nil && bytes.Compare(key, end) >= 0 {
		key, _ = c.Prev()
	}
	for ; key != nil && bytes.HasPrefix(key, prefix); key, _ = c.Prev() {
		more, err := visit(key)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// keyAfter returns a key that sorts behind all keys with a prefix, which ends with the separator.
func keyAfter(prefix []byte) []byte {
	key := bytes.Clone(prefix)
	key[len(key)-1]++
	return key
}

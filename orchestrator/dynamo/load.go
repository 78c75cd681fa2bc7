package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
)

// load adds content to tasks: all of it, or only that for which wanted is true. It sets broken for those whose content cannot be read.
func (s *Store) load(ctx context.Context, states []*state, wanted func(name string) bool) error {
	missing, found := make(map[string]ddb.Item), make(map[string]map[string]any)
	for _, st := range states {
		for name, reference := range st.content {
			if !wanted(name) {
				continue
			}
			id := recordID(st.item, reference)
			if content, ok := s.cache.get(id); ok {
				found[id] = content // what is read next may empty the cache
			} else {
				missing[id] = recordItem(ddb.TextOf(st.item, attrTask), reference)
			}
		}
	}
	if len(missing) > 0 {
		if err := s.read(ctx, missing, found); err != nil {
			return err
		}
	}
	for _, st := range states {
		for name, reference := range st.content {
			if !wanted(name) {
				continue
			}
			content, ok := found[recordID(st.item, reference)][name]
			if !ok {
				content = fmt.Errorf("record %s has no content %s", reference, name)
			}
			if broken, ok := content.(error); ok {
				st.broken = broken
				break
			}
			if c, ok := content.(jsonContent); ok {
				st.stored[name], content = c.encoded, c.value
			}
			fill(&st.task, name, content)
		}
	}
	return nil
}

// recordID identifies what a record or a reference of the task to which an item belongs has, for the cache.
func recordID(item ddb.Item, record string) string {
	return ddb.TextOf(item, attrTask) + "\x00" + record
}

// read reads what references refer to and decodes it. In place of content that it cannot decode it puts the error.
func (s *Store) read(ctx context.Context, missing map[string]ddb.Item, found map[string]map[string]any) error {
	var keys []ddb.Item
	for _, key := range missing {
		for _, record := range recordsOf(ddb.TextOf(key, attrRecord)) {
			keys = append(keys, recordItem(ddb.TextOf(key, attrTask), record))
		}
	}
	items, err := s.db.BatchGet(ctx, tableBlobs, keys)
	if err != nil {
		return err
	}
	records := make(map[string]map[string][]byte, len(items))
	for _, item := range items {
		records[recordID(item, ddb.TextOf(item, attrRecord))] = encodedIn(item)
	}
	for id, key := range missing {
		content := join(records, key)
		if content == nil {
			continue
		}
		decoded, size := make(map[string]any, len(content)), 0
		for name, encoded := range content {
			content, err := decodePiece(name, encoded)
			switch {
			case err != nil:
				content = err
			case isListed(name):
				content = jsonContent{content, encoded}
			}
			decoded[name], size = content, size+len(encoded)
		}
		found[id] = decoded
		s.cache.put(id, decoded, size)
	}
	return nil
}

// encodedIn returns the content of a record that this version knows, by name.
func encodedIn(item ddb.Item) map[string][]byte {
	encoded := make(map[string][]byte)
	if content, ok := item[attrContent].(*types.AttributeValueMemberM); ok {
		for name, av := range content.Value {
			if b, ok := av.(*types.AttributeValueMemberB); ok && isKnown(name) {
				encoded[name] = b.Value
			}
		}
	}
	return encoded
}

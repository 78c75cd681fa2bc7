package dynamo

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
)

// Attributes of a record.
const (
	attrEvents   = "events"
	attrCreated  = "task_created" // when its task was, by createdOf: an earlier task with the same id had another time
	attrPrevious = "previous"     // the record with the previous events
)

const (
	// inlineContent is how much new content fits into a step's record, and how much of new events; more gets items of its own.
	inlineContent = 64 << 10
	// besideListed is how much other new content a record with listed content may have: a list of a thousand tasks reads a thousand of these records.
	besideListed = 16 << 10
	nonceSize    = 8
	// recordLife is for how long after a task's deadline its records are kept, in addition to the retention of tasks.
	recordLife = 30 * 24 * time.Hour
)

// Records with events are named after the last one, so that what follows an event is a range.
func logName(last uint64, nonce string) string { return fmt.Sprintf("log#%08d#%s", last, nonce) }

// lastOf returns the number of the last event in a record.
func lastOf(name string) (last uint64, err error) {
	_, err = fmt.Sscanf(name, "log#%d#", &last)
	return last, err
}

// nonceOf returns the part of a name by which the records of one write differ from those of others.
func nonceOf(name string) string { return name[strings.LastIndexByte(name, '#')+1:] }

// step holds what one write of a task puts into TaskBlobs.
type step struct {
	key     string // of the task
	nonce   string // in the names of its records
	items   []ddb.Item
	large   map[string]large          // by name of the content; its records are among the items
	content map[string]map[string]any // the content in them, by reference and name
	size    map[string]int            // size of the content, by reference
}

// prepare sets the references of next, which has the content and the log of old, to the new events and to the content that differs from old's.
// Without an old state the task is new. Large content that an earlier try has written is not written again.
func (s *Store) prepare(old, next *state, events []orchestrator.Event, written map[string]large) (*step, error) {
	step := &step{
		key: taskKey(next.task.Key()), nonce: rand.Text()[:nonceSize],
		large: make(map[string]large), content: make(map[string]map[string]any), size: make(map[string]int),
	}
	name := fmt.Sprintf("content#%08d#%s", next.task.Version, step.nonce)
	if len(events) > 0 {
		name = logName(next.task.LastEvent, step.nonce)
	}
	record := recordItem(step.key, name)
	small, err := step.addContent(old, next, name, written)
	if err != nil {
		return nil, err
	}
	if err := step.addEvents(next, record, events); err != nil {
		return nil, err
	}
	if len(small) > 0 {
		record[attrContent] = &types.AttributeValueMemberM{Value: small}
	}
	if len(record) > len(recordItem("", "")) {
		step.items = append(step.items, record)
	}
	for _, item := range step.items {
		if s.Keep > 0 {
			goes := next.task.Deadline.Add(s.Keep + recordLife).Unix()
			item[attrTTL] = seconds(goes)
			next.goes = earlier(goes, next.goes)
		}
		if _, ok := item[attrEvents]; !ok {
			continue // the content is below the limit and, with the rest of its item, below DynamoDB's
		}
		if err := boltdb.CheckItem("what one step of a task adds", ddb.Size(item)); err != nil {
			return nil, err
		}
	}
	return step, nil
}

// addEvents puts events into a step's record. If they do not all fit, the first ones get records of their own, each of which refers to the one
// before.
func (s *step) addEvents(next *state, record ddb.Item, events []orchestrator.Event) error {
	var batch []types.AttributeValue
	held := 0
	put := func(item ddb.Item) {
		item[attrEvents] = &types.AttributeValueMemberL{Value: batch}
		item[attrCreated] = text(createdOf(&next.task))
		item[attrPrevious] = text(next.log)
		next.log = ddb.TextOf(item, attrRecord)
	}
	for i, e := range events {
		encoded, err := attributevalue.Marshal(e)
		if err != nil {
			return fmt.Errorf("encoding events: %w", err)
		}
		size := ddb.Size(ddb.Item{"": encoded})
		if held > 0 && held+size > inlineContent {
			item := recordItem(s.key, logName(events[i-1].Sequence, s.nonce))
			put(item)
			s.items = append(s.items, item)
			batch, held = nil, 0
		}
		batch, held = append(batch, encoded), held+size
	}
	if len(batch) > 0 {
		put(record)
	}
	return nil
}

// addContent returns the new content for the step's record, and puts large content into items of its own.
func (s *step) addContent(old, next *state, record string, written map[string]large) (small ddb.Item, err error) {
	before, stored := make(map[string]piece), map[string][]byte(nil)
	if old != nil {
		stored = old.stored
		for _, p := range pieces(&old.task) {
			before[p.name] = p
		}
	}
	content := make(map[string]string)
	for name, record := range next.content {
		if !isKnown(name) {
			content[name] = record
		}
	}
	var added []piece
	var encoded [][]byte
	beside := 0
	for _, p := range pieces(&next.task) {
		was, had := before[p.name]
		if had && p.same(was) {
			content[p.name] = next.content[p.name]
			continue
		}
		now, err := p.encodeOver(was, stored[p.name])
		if err != nil {
			return nil, err
		}
		added, encoded = append(added, p), append(encoded, now)
		if !isListed(p.name) {
			beside += len(now)
		}
	}
	small, held := make(ddb.Item), 0
	for i, p := range added {
		size := len(encoded[i])
		if held+size <= inlineContent && (!isListed(p.name) || beside <= besideListed) {
			held += size
			small[p.name] = &types.AttributeValueMemberB{Value: encoded[i]}
			content[p.name] = record
		} else {
			l := written[p.name]
			if !bytes.Equal(l.encoded, encoded[i]) {
				l = divide(s.key, fmt.Sprintf("content#%08d#%s#%s", next.task.Version, s.nonce, p.name), p.name, encoded[i])
			}
			s.large[p.name], s.items = l, append(s.items, l.records...)
			content[p.name] = l.reference
		}
		s.keep(content[p.name], p, encoded[i])
	}
	next.content = content
	return small, nil
}

// keep notes content for the cache, so that it need not be read again.
func (s *step) keep(reference string, p piece, encoded []byte) {
	if s.content[reference] == nil {
		s.content[reference] = make(map[string]any)
	}
	s.content[reference][p.name] = p.content(encoded)
	s.size[reference] += len(encoded)
}

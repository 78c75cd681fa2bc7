package dynamo

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
)

// Attributes of a task's item other than fields of the task.
const (
	attrState   = "state"       // the name of the A2A state
	attrContent = "content"     // which record has the message, the artifacts and so on
	attrLog     = "log"         // the record with the last events
	attrGoes    = "records_ttl" // of the record that expires first
)

// state is a task's item: the task without its content, and references to that.
type state struct {
	task    orchestrator.Task
	content map[string]string // by name of the content: the record with it
	log     string            // the record with the last events
	goes    int64             // when the first of its records expires, in seconds since 1970; 0 for never
	stored  map[string][]byte // the content in JSON as it was read, by its name
	item    ddb.Item          // as it was read; nil for a new task
	broken  error             // why its content could not be read
}

// fields are the fields of a task that its item has, by attribute. The other fields are content.
var fields = stateFields()

func stateFields() map[string]string {
	found := make(map[string]string)
	for field := range reflect.TypeFor[orchestrator.Task]().Fields() {
		switch field.Name {
		case "Attributes", "Requirements", "Decision", "Gates", "State": // all but the last are content; State is stored by name
		default:
			if field.Tag.Get("json") != "-" {
				found[snake(field.Name)] = field.Name
			}
		}
	}
	return found
}

// snake returns the attribute for a field: remote_task_id for RemoteTaskID.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// encode returns the item of s.task.
func (s *Store) encode(st *state) (ddb.Item, error) {
	t := &st.task
	item, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	if err := keepNewer(item, st.item); err != nil {
		return nil, err
	}
	item[attrTask], item[attrState], item[attrLog] = text(taskKey(t.Key())), text(t.State.String()), text(st.log)
	maps.Copy(item, listed(t))
	content := make(ddb.Item, len(st.content))
	for name, record := range st.content {
		content[name] = text(record)
	}
	item[attrContent] = &types.AttributeValueMemberM{Value: content}
	if st.goes > 0 {
		item[attrGoes] = seconds(st.goes)
	}
	if !t.Settled() {
		item[attrOpen] = text(openShard(t.Shard))
	} else if end := s.end(st); end > 0 {
		item[attrTTL] = seconds(end)
	}
	return item, nil
}

// fieldsOf returns the attributes for the fields of a task that its item has.
func fieldsOf(t *orchestrator.Task) (ddb.Item, error) {
	all, err := attributevalue.MarshalMapWithOptions(t, func(o *attributevalue.EncoderOptions) { o.TagKey = "json" })
	if err != nil {
		return nil, fmt.Errorf("encoding task %s: %w", t.ID, err)
	}
	item := make(ddb.Item, len(all))
	for attribute, field := range fields {
		if v, ok := all[field]; ok && !blank(v) {
			item[attribute] = v
		}
	}
	return item, nil
}

// end returns until when a settled task is kept; 0 is for ever. Its records may have been written with an earlier expiry.
func (s *Store) end(st *state) int64 {
	if s.Keep == 0 {
		return st.goes
	}
	return earlier(st.task.RetainedSince().Add(s.Keep).Unix(), st.goes)
}

// earlier returns the earlier of two times; 0 means never.
func earlier(a, b int64) int64 {
	if b == 0 {
		return a
	}
	return min(a, b)
}

func openShard(shard int) string { return "open#" + strconv.Itoa(shard) }

func seconds(unix int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(unix, 10)}
}

// blank reports whether a value is the zero value of its field.
func blank(av types.AttributeValue) bool {
	switch v := av.(type) {
	case *types.AttributeValueMemberNULL:
		return true
	case *types.AttributeValueMemberS:
		return v.Value == "" || v.Value == "0001-01-01T00:00:00Z"
	case *types.AttributeValueMemberN:
		return v.Value == "0"
	case *types.AttributeValueMemberBOOL:
		return !v.Value
	case *types.AttributeValueMemberL:
		return len(v.Value) == 0
	default:
		return false
	}
}

// decode decodes a task's item. The task lacks its content.
func decode(item ddb.Item) (*state, error) {
	all := make(ddb.Item, len(fields))
	for attribute, field := range fields {
		if v, ok := item[attribute]; ok {
			all[field] = v
		}
	}
	st := &state{item: item, log: ddb.TextOf(item, attrLog), content: make(map[string]string), stored: make(map[string][]byte)}
	if _, ok := item[attrGoes]; ok {
		goes, err := numberOf(item, attrGoes)
		if err != nil {
			return nil, fmt.Errorf("decoding task %s: %w", ddb.TextOf(item, attrTask), err)
		}
		st.goes = int64(goes) //nolint:gosec // as it was written
	}
	if err := attributevalue.UnmarshalMapWithOptions(all, &st.task, func(o *attributevalue.DecoderOptions) { o.TagKey = "json" }); err != nil {
		return nil, fmt.Errorf("decoding task %s: %w", ddb.TextOf(item, attrTask), err)
	}
	number, ok := a2apb.TaskState_value[ddb.TextOf(item, attrState)]
	if !ok {
		return nil, fmt.Errorf("decoding task %s: its state is %q", ddb.TextOf(item, attrTask), ddb.TextOf(item, attrState))
	}
	st.task.State = a2apb.TaskState(number)
	if content, ok := item[attrContent].(*types.AttributeValueMemberM); ok {
		for name := range content.Value {
			st.content[name] = ddb.TextOf(content.Value, name)
		}
	}
	return st, nil
}

func (s *Store) over(item ddb.Item) bool { return ddb.Expired(item, attrTTL, s.Now()) }

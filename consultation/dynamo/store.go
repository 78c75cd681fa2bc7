// Package dynamo keeps consultations and their evidence in the DynamoDB table ConsultationEvidence, for any number of replicas.
//
// An item holds one consultation with its recorded outcomes, under the names of its stored form. The items of a task have the same partition key and
// are numbered, so that a task's list is one consistent query and no two replicas add an item with the same number; a second item finds a
// consultation by its id. There is no index: a consultation must be found as soon as it is issued.
package dynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// The table and the attributes that keys and conditions use.
const (
	table      = "ConsultationEvidence"
	attrTask   = "task_key" // tenant and task, or tenant and id of a consultation
	attrNumber = "number"   // of the consultation within its task
	attrTTL    = "ttl"
	attrID     = "id" // of the consultation
)

// Tables returns the tables that the store needs.
func Tables() []ddb.Table {
	return []ddb.Table{{Name: table, Hash: ddb.Text(attrTask), Range: ddb.Number(attrNumber), TTL: attrTTL}}
}

// Options are the optional settings of a Store.
type Options struct {
	Keep time.Duration    // how long after its issue a consultation is kept; zero is for ever
	Now  func() time.Time // nil is time.Now
}

// Store is a consultation.Store; it is safe for concurrent use, by any number of processes.
type Store struct {
	db *ddb.Client
	Options
}

var _ consultation.Store = (*Store)(nil)

// New returns a store in the tables of Tables.
func New(db *ddb.Client, o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Store{db, o}
}

// Append implements consultation.Store.
func (s *Store) Append(ctx context.Context, tenant, taskID string, next func([]consultation.Entry) (consultation.Consultation, error)) error {
	key := taskKey(tenant, taskID)
	return ddb.Contend(ctx, "task "+taskID, func() error {
		items, err := s.items(ctx, key)
		if err != nil {
			return err
		}
		list, err := s.entries(items)
		if err != nil {
			return err
		}
		c, err := next(list)
		if err != nil {
			return err
		}
		return s.add(ctx, key, following(items), c)
	})
}

// following returns the number after the last one of items.
func following(items []ddb.Item) string {
	if len(items) == 0 {
		return "0"
	}
	last, err := strconv.Atoi(numberOf(items[len(items)-1]))
	if err != nil {
		return "0" // the existing item refuses the write
	}
	return strconv.Itoa(last + 1)
}

// add writes a consultation together with the item that finds it by its id.
func (s *Store) add(ctx context.Context, key, number string, c consultation.Consultation) error {
	item, err := s.encode(key, number, consultation.Entry{Consultation: c})
	if err != nil {
		return err
	}
	pointer := keyItem(idKey(c.Tenant, c.ID), "0")
	pointer["of_task"], pointer["of_number"] = item[attrTask], item[attrNumber]
	if ttl, ok := item[attrTTL]; ok {
		pointer[attrTTL] = ttl
	}
	put, id := s.db.Replacement(table, nil, item)
	find, _ := s.db.Replacement(table, nil, pointer)
	err = s.db.Transact(ctx, []types.TransactWriteItem{{Put: &put}, {Put: &find}})
	refused, ok := errors.AsType[*ddb.RefusedError](err)
	switch {
	case !ok:
		return err
	case refused.Index == 0 && ddb.LastWrite(refused.Item) == id:
		return nil // the answer to an earlier attempt was lost
	case refused.Index == 0:
		return ddb.ErrMoved
	}
	return fault.New(fault.AlreadyExists, "CONSULTATION_EXISTS", "consultation %q exists", c.ID)
}

// Update implements consultation.Store.
func (s *Store) Update(ctx context.Context, tenant, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	return ddb.Contend(ctx, "consultation "+id, func() error {
		old, err := s.find(ctx, tenant, id)
		if err != nil {
			return err
		}
		e, err := decode(old)
		if err != nil {
			return err
		}
		if e, err = change(e); err != nil {
			return err
		}
		item, err := s.encode(ddb.TextOf(old, attrTask), numberOf(old), e)
		if err != nil {
			return err
		}
		if err := keepNewer(item, old); err != nil {
			return err
		}
		return s.db.Replace(ctx, table, old, item)
	})
}

// Get implements consultation.Store.
func (s *Store) Get(ctx context.Context, tenant, id string) (consultation.Entry, error) {
	item, err := s.find(ctx, tenant, id)
	if err != nil {
		return consultation.Entry{}, err
	}
	return decode(item)
}

// List implements consultation.Store.
func (s *Store) List(ctx context.Context, tenant, taskID string) ([]consultation.Entry, error) {
	items, err := s.items(ctx, taskKey(tenant, taskID))
	if err != nil {
		return nil, err
	}
	return s.entries(items)
}

func (s *Store) find(ctx context.Context, tenant, id string) (ddb.Item, error) {
	pointer, err := s.get(ctx, keyItem(idKey(tenant, id), "0"))
	if err != nil {
		return nil, err
	}
	if pointer == nil {
		return nil, consultation.NotFound(id)
	}
	item, err := s.get(ctx, ddb.Item{attrTask: pointer["of_task"], attrNumber: pointer["of_number"]})
	if err == nil && (item == nil || s.over(item) || ddb.TextOf(item, attrID) != id) { // the number may be another's by now
		err = consultation.NotFound(id)
	}
	return item, err
}

// get reads one item consistently; nil when there is none.
func (s *Store) get(ctx context.Context, key ddb.Item) (ddb.Item, error) {
	answer, err := s.db.API().GetItem(ctx, &dynamodb.GetItemInput{TableName: s.db.Table(table), Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, ddb.Fault("reading a consultation", err)
	}
	return answer.Item, nil
}

// items returns the items of a task in order, also those whose time is over.
func (s *Store) items(ctx context.Context, key string) (items []ddb.Item, err error) {
	pages := dynamodb.NewQueryPaginator(s.db.API(), &dynamodb.QueryInput{
		TableName: s.db.Table(table), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String(attrTask + " = :task"),
		ExpressionAttributeValues: ddb.Item{":task": &types.AttributeValueMemberS{Value: key}},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, ddb.Fault("reading a task's consultations", err)
		}
		items = append(items, page.Items...)
	}
	return items, nil
}

// entries decodes the items whose time is not over.
func (s *Store) entries(items []ddb.Item) (list []consultation.Entry, err error) {
	for _, item := range items {
		if s.over(item) {
			continue
		}
		e, err := decode(item)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

func (s *Store) over(item ddb.Item) bool { return ddb.Expired(item, attrTTL, s.Now()) }

// stored is an entry in its stored form, as attributes of one item.
type stored struct {
	consultation.Consultation
	Evidence []consultation.Evidence `json:"evidence,omitempty"`
}

var known = ddb.Known[stored]("json", attrTask, attrNumber, attrTTL)

func (s *Store) encode(key, number string, e consultation.Entry) (ddb.Item, error) {
	item, err := fields(e)
	if err != nil {
		return nil, err
	}
	maps.Copy(item, keyItem(key, number))
	if s.Keep > 0 {
		end := e.Consultation.IssueTime.Add(s.Keep).Unix()
		item[attrTTL] = &types.AttributeValueMemberN{Value: strconv.FormatInt(end, 10)}
	}
	return item, boltdb.CheckItem("consultation "+e.Consultation.ID, ddb.Size(item))
}

// fields returns the attributes of an entry other than those of its key and its end.
func fields(e consultation.Entry) (ddb.Item, error) {
	item, err := attributevalue.MarshalMapWithOptions(stored{e.Consultation, e.Evidence}, func(o *attributevalue.EncoderOptions) { o.TagKey = "json" })
	if err != nil {
		return nil, fmt.Errorf("encoding consultation %s: %w", e.Consultation.ID, err)
	}
	return item, nil
}

// keepNewer puts into item, which replaces old, what a newer version has put into old.
func keepNewer(item, old ddb.Item) error {
	was, err := decode(old)
	if err != nil {
		return err
	}
	again, err := fields(was)
	if err != nil {
		return err
	}
	ddb.KeepUnchanged(item, again, old)
	maps.Copy(item, ddb.Unknown(old, known))
	return nil
}

func decode(item ddb.Item) (consultation.Entry, error) {
	var s stored
	if err := attributevalue.UnmarshalMapWithOptions(item, &s, func(o *attributevalue.DecoderOptions) { o.TagKey = "json" }); err != nil {
		return consultation.Entry{}, fmt.Errorf("decoding a stored consultation: %w", err)
	}
	return consultation.Entry{Consultation: s.Consultation, Evidence: s.Evidence}, nil
}

// Keys are parts joined by #. The part that stands for ids cannot be the id of a task, in which % is escaped.
var escape = strings.NewReplacer("%", "%25", "#", "%23")

func taskKey(tenant, task string) string { return escape.Replace(tenant) + "#" + escape.Replace(task) }

func idKey(tenant, id string) string { return escape.Replace(tenant) + "#%id#" + escape.Replace(id) }

func keyItem(task, number string) ddb.Item {
	return ddb.Item{attrTask: &types.AttributeValueMemberS{Value: task}, attrNumber: &types.AttributeValueMemberN{Value: number}}
}

func numberOf(item ddb.Item) string {
	if n, ok := item[attrNumber].(*types.AttributeValueMemberN); ok {
		return n.Value
	}
	return ""
}

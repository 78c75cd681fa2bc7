package dynamo

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
)

// Names of tables and indexes.
const (
	tableTasks  = "Tasks"
	tableBlobs  = "TaskBlobs"
	tableLeases = "Leases"

	indexOpen    = "OpenTasks"
	indexListing = "TaskListing"
)

// Names of attributes that keys and conditions use.
const (
	attrTask     = "task_key"
	attrRecord   = "record_name"
	attrOpen     = "open_shard"
	attrListing  = "listing"
	attrPosition = "list_position"
	attrTTL      = "ttl"
	attrKind     = "kind"
	attrName     = "name"
)

// Tables returns the tables that the stores need.
func Tables() []ddb.Table {
	return []ddb.Table{
		{
			Name: tableTasks, Hash: ddb.Text(attrTask), TTL: attrTTL,
			Indexes: []ddb.Index{
				{Name: indexOpen, Hash: ddb.Text(attrOpen), Range: ddb.Text(attrTask)},
				{Name: indexListing, Hash: ddb.Text(attrListing), Range: ddb.Text(attrPosition)},
			},
		},
		{Name: tableBlobs, Hash: ddb.Text(attrTask), Range: ddb.Text(attrRecord), TTL: attrTTL},
		{Name: tableLeases, Hash: ddb.Text(attrKind), Range: ddb.Text(attrName)},
	}
}

// Keys are parts joined by #, which sorts below all characters of names. A part that begins with % is not an id.
var (
	escape   = strings.NewReplacer("%", "%25", "#", "%23")
	unescape = strings.NewReplacer("%23", "#", "%25", "%")
)

func taskKey(k orchestrator.Key) string {
	return escape.Replace(k.Tenant) + "#" + escape.Replace(k.ID)
}

// keyOf returns the key of the task with this table key.
func keyOf(key string) orchestrator.Key {
	tenant, id, _ := strings.Cut(key, "#")
	return orchestrator.Key{Tenant: unescape.Replace(tenant), ID: unescape.Replace(id)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func taskItem(key string) ddb.Item { return ddb.Item{attrTask: text(key)} }

func recordItem(key, name string) ddb.Item {
	return ddb.Item{attrTask: text(key), attrRecord: text(name)}
}

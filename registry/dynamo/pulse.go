package dynamo

import (
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

// statusLife is how long a status is kept after its lease. DynamoDB may delete it then; readers rely on the lease only.
const statusLife = 90 * 24 * time.Hour

// statusItem is a pulse as stored in AgentStatus. Every agent has one from its registration on, so that a heartbeat need not read AgentMetadata.
type statusItem struct {
	AgentName     string    `dynamodbav:"agent_name"`
	Blank         bool      `dynamodbav:"blank,omitempty"` // the agent was never heard of
	Status        string    `dynamodbav:"status,omitempty"`
	CurrentTaskID string    `dynamodbav:"current_task_id,omitempty"`
	ErrorMessage  string    `dynamodbav:"error_message,omitempty"`
	Epoch         int64     `dynamodbav:"epoch"`
	LastHeartbeat time.Time `dynamodbav:"last_heartbeat"`
	LeaseExpire   time.Time `dynamodbav:"lease_expire"`
	LastProbe     time.Time `dynamodbav:"last_probe"`
	ProbeExpire   time.Time `dynamodbav:"probe_expire"`
	Capacity      int       `dynamodbav:"capacity,omitempty"`
	InFlight      int       `dynamodbav:"in_flight,omitempty"`
	DrainTime     time.Time `dynamodbav:"drain_time"`
	DrainReason   string    `dynamodbav:"drain_reason,omitempty"`
	SeenTime      time.Time `dynamodbav:"seen_time"`
	Announced     string    `dynamodbav:"announced,omitempty"`
	TTL           int64     `dynamodbav:"ttl,omitempty"` // seconds since 1970
	writes
}

// status is a pulse and the writes that made it.
type status struct {
	pulse     registry.Pulse
	blank     bool
	collected bool // it is no longer stored
	writes    writes
	rest      ddb.Item // attributes of a newer version
}

var statusAttributes = ddb.Known[statusItem]("dynamodbav")

func newStatusItem(key registry.Key, p *registry.Pulse, w writes, rest ddb.Item) (ddb.Item, error) {
	i := statusItem{AgentName: agentKey(key), Blank: p == nil, writes: w}
	if p != nil {
		i.Status, i.CurrentTaskID, i.ErrorMessage, i.Epoch = p.Word, p.CurrentTaskID, p.ErrorMessage, p.Epoch
		i.LastHeartbeat, i.LeaseExpire, i.LastProbe, i.ProbeExpire = p.BeatTime, p.BeatExpire, p.ProbeTime, p.ProbeExpire
		i.Capacity, i.InFlight, i.DrainTime, i.DrainReason = p.Capacity, p.InFlight, p.DrainTime, p.DrainReason
		i.SeenTime, i.Announced = p.SeenTime, p.Announced
		// A drained agent stays drained until it is resumed, however long it is silent, so its status is never deleted.
		if last := maxTime(p.BeatExpire, p.ProbeExpire); !last.IsZero() && p.DrainTime.IsZero() {
			i.TTL = last.Add(statusLife).Unix()
		}
	}
	item, err := marshal("the status of agent "+key.Name, i)
	if err == nil {
		maps.Copy(item, rest)
	}
	return item, err
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func readStatus(item ddb.Item) (*status, error) {
	var i statusItem
	if err := attributevalue.UnmarshalMap(item, &i); err != nil {
		return nil, fmt.Errorf("decoding status %s: %w", ddb.TextOf(item, attrAgentName), err)
	}
	return &status{
		pulse: registry.Pulse{
			Epoch: i.Epoch, Word: i.Status, CurrentTaskID: i.CurrentTaskID, ErrorMessage: i.ErrorMessage,
			BeatTime: i.LastHeartbeat, BeatExpire: i.LeaseExpire, ProbeTime: i.LastProbe, ProbeExpire: i.ProbeExpire,
			Capacity: i.Capacity, InFlight: i.InFlight, DrainTime: i.DrainTime, DrainReason: i.DrainReason,
			SeenTime: i.SeenTime, Announced: i.Announced,
		},
		blank: i.Blank, writes: i.writes, rest: ddb.Unknown(item, statusAttributes),
	}, nil
}

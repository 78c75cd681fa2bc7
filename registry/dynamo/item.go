package dynamo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/agentcard"
)

// inlineCard is the maximum size of an agent's item that includes the card's bytes, which saves a read.
const inlineCard = 64 << 10

// agentItem is an agent as stored in AgentMetadata.
type agentItem struct {
	AgentName string `dynamodbav:"agent_name"`
	Listing   string `dynamodbav:"listing"`
	Position  []byte `dynamodbav:"position"`
	Tenant    string `dynamodbav:"tenant"`
	Name      string `dynamodbav:"name"`

	Version                  string                                        `dynamodbav:"version"` // the card's
	InputSchemas             document[[]agentcard.InputSchema]             `dynamodbav:"input_schemas"`
	OutputSchemas            document[[]agentcard.OutputSchema]            `dynamodbav:"output_schemas"`
	ConsultationRequirements document[[]agentcard.ConsultationRequirement] `dynamodbav:"consultation_requirements"`
	AtMostOnceSkills         []string                                      `dynamodbav:"at_most_once_skills,omitempty"`
	CreatedAt                time.Time                                     `dynamodbav:"created_at"`
	UpdatedAt                time.Time                                     `dynamodbav:"updated_at"`

	Card       document[agentcard.Card] `dynamodbav:"card"`
	CardBytes  []byte                   `dynamodbav:"card_bytes,omitempty"`  // if they are few
	CardDigest string                   `dynamodbav:"card_digest,omitempty"` // of bytes in a separate item
	CardURI    string                   `dynamodbav:"card_uri,omitempty"`
	Etag       string                   `dynamodbav:"etag"`
	Revision   int64                    `dynamodbav:"revision"`
	TokenHash  []byte                   `dynamodbav:"token_hash,omitempty"`
	Generation string                   `dynamodbav:"skill_generation"`
	Life       string                   `dynamodbav:"life"`

	LiveVersion   int64                           `dynamodbav:"live_version"`
	LatestVersion int64                           `dynamodbav:"latest_version"`
	LatestHash    string                          `dynamodbav:"latest_hash,omitempty"`
	TakenBackHash string                          `dynamodbav:"taken_back_hash,omitempty"`
	Versions      []int64                         `dynamodbav:"versions"` // numbers of the versions that are kept, in order
	Source        document[registry.Source]       `dynamodbav:"source"`
	Verification  document[registry.Verification] `dynamodbav:"verification"`
	Pending       document[*registry.Pending]     `dynamodbav:"pending"`
	Refused       []string                        `dynamodbav:"refused,omitempty"`
	writes
}

// writes are the ids of the last writes to an item. A writer whose answer was lost finds out by them whether the write was made.
type writes struct {
	LastReq string   `dynamodbav:"last_req"`
	PastReq []string `dynamodbav:"past_req"` // those before, newest first
}

// maxPast is how many later writes are tolerated when asking about a write. With ids of idSize, a status stays below one kilobyte, the unit that
// DynamoDB charges for.
const maxPast = 32

// next returns the ids after the write id.
func (w writes) next(id string) writes {
	past := []string{}
	if w.LastReq != "" {
		past = append(past, w.LastReq)
	}
	past = append(past, w.PastReq...)
	return writes{LastReq: id, PastReq: past[:min(len(past), maxPast)]}
}

// has reports whether the write id is one of them.
func (w writes) has(id string) bool {
	return w.LastReq == id || slices.Contains(w.PastReq, id)
}

// stored is an agent with what else the store knows about it.
type stored struct {
	record     registry.Record
	generation string
	life       string // identifies the time from its registration to its deletion
	cardDigest string
	versions   []int64 // numbers of the versions that are kept, in order
	writes     writes
	item       ddb.Item // as it was read; nil for a new agent
}

// newAgentItem returns the item of s and, if its card needs a separate item, that item.
func newAgentItem(s *stored) (agent, card ddb.Item, digest string, err error) {
	r, key := &s.record, s.record.Key()
	i := agentItem{
		AgentName: agentKey(key), Listing: listAgents, Position: boltdb.Key(key.Tenant, key.Name), Tenant: key.Tenant, Name: key.Name,
		Version:      r.Card.Version,
		InputSchemas: document[[]agentcard.InputSchema]{r.Metadata.InputSchemas}, OutputSchemas: document[[]agentcard.OutputSchema]{r.Metadata.OutputSchemas},
		ConsultationRequirements: document[[]agentcard.ConsultationRequirement]{r.Metadata.ConsultationRequirements},
		AtMostOnceSkills:         r.Metadata.AtMostOnceSkills,
		CreatedAt:                r.CreateTime, UpdatedAt: r.UpdateTime,
		Card: document[agentcard.Card]{r.Card}, CardBytes: r.RawCard, CardURI: r.CardURI, Etag: r.Etag, Revision: r.Revision,
		Generation: s.generation, Life: s.life, LiveVersion: r.LiveVersion, LatestVersion: r.LatestVersion, LatestHash: r.LatestHash, TakenBackHash: r.TakenBackHash,
		Versions: s.versions, Source: document[registry.Source]{r.Source}, Verification: document[registry.Verification]{r.Verification},
		Pending: document[*registry.Pending]{r.Pending}, Refused: r.Refused, writes: s.writes,
	}
	if r.HasToken() {
		i.TokenHash = r.TokenHash[:]
	}
	if agent, err = rewrite("agent "+key.Name, i, s.item); err != nil {
		return nil, nil, "", err
	}
	if ddb.Size(agent) > inlineCard && len(r.RawCard) > 0 {
		sum := sha256.Sum256(r.RawCard)
		digest = hex.EncodeToString(sum[:])
		delete(agent, "card_bytes")
		agent["card_digest"] = &types.AttributeValueMemberS{Value: digest}
		card = keyItem(cardKey(key, digest))
		card["card_bytes"] = &types.AttributeValueMemberB{Value: r.RawCard}
		if err := boltdb.CheckItem("the card of agent "+key.Name, ddb.Size(card)); err != nil {
			return nil, nil, "", err
		}
	}
	return agent, card, digest, boltdb.CheckItem("agent "+key.Name+", with its metadata,", ddb.Size(agent))
}

// readAgent returns an agent, without the bytes of a card in a separate item. It returns nil if item is not an agent.
func readAgent(item ddb.Item) (*stored, error) {
	if ddb.TextOf(item, attrListing) != listAgents {
		return nil, nil
	}
	var i agentItem
	if err := attributevalue.UnmarshalMap(item, &i); err != nil {
		return nil, fmt.Errorf("decoding agent %s: %w", ddb.TextOf(item, attrAgentName), err)
	}
	s := &stored{
		record: registry.Record{Agent: registry.Agent{
			Tenant: i.Tenant, Name: i.Name, Card: i.Card.value, RawCard: i.CardBytes, CardURI: i.CardURI,
			Metadata: agentcard.Metadata{
				InputSchemas: i.InputSchemas.value, OutputSchemas: i.OutputSchemas.value,
				ConsultationRequirements: i.ConsultationRequirements.value,
				AtMostOnceSkills:         i.AtMostOnceSkills,
			},
			Etag: i.Etag, Revision: i.Revision, CreateTime: i.CreatedAt, UpdateTime: i.UpdatedAt,
			LiveVersion: i.LiveVersion, LatestVersion: i.LatestVersion, LatestHash: i.LatestHash, TakenBackHash: i.TakenBackHash,
			Source: i.Source.value, Verification: i.Verification.value, Pending: i.Pending.value, Refused: i.Refused,
		}},
		generation: i.Generation, life: i.Life, cardDigest: i.CardDigest, versions: i.Versions, writes: i.writes, item: item,
	}
	copy(s.record.TokenHash[:], i.TokenHash)
	return s, nil
}

// rewrite returns the item of v, which replaces old, with what a newer version has put into old.
func rewrite[T any](what string, v T, old ddb.Item) (ddb.Item, error) {
	item, err := marshal(what, v)
	if err != nil || old == nil {
		return item, err
	}
	var was T
	if err := attributevalue.UnmarshalMap(old, &was); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", what, err)
	}
	again, err := marshal(what, was)
	if err != nil {
		return nil, err
	}
	ddb.KeepUnchanged(item, again, old)
	maps.Copy(item, ddb.Unknown(old, ddb.Known[T]("dynamodbav")))
	return item, nil
}

func marshal(what string, v any) (ddb.Item, error) {
	item, err := attributevalue.MarshalMap(v)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", what, err)
	}
	return item, nil
}

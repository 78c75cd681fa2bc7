package dynamo

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/registry"
)

// Keys are parts joined by #, which sorts below all characters of names. Parts that begin with % are not tenants.
const (
	cardPart      = "#%card#"
	tokenPrefix   = "%token#"
	requestPrefix = "%request#"
	behind        = "$" // the character after #
)

const (
	maxKey   = 1024 // bytes of a key that may be a sort key of an index
	maxPart  = 600  // bytes of a skill's id in a key, after escaping
	keptPart = 300  // bytes that are kept of a longer id
)

var escape = strings.NewReplacer("%", "%25", "#", "%23")

// agentKey returns the key of an agent's items in both tables.
func agentKey(key registry.Key) string {
	return escape.Replace(key.Tenant) + "#" + escape.Replace(key.Name)
}

// indexKey returns the partition key in SkillIndex for a skill or another kind of row.
func indexKey(tenant string, r rowID) string {
	if r.kind == rowSkill {
		return escape.Replace(tenant) + "#" + short(r.name)
	}
	return string(r.kind) + "#" + escape.Replace(tenant) + "#" + short(r.name)
}

// rowKey returns the key of a row's item.
func rowKey(key registry.Key, generation string, r rowID) string {
	return agentKey(key) + "#" + generation + string(r.kind) + "#" + short(r.name)
}

func cardKey(key registry.Key, digest string) string { return agentKey(key) + cardPart + digest }

func tokenKey(hash [sha256.Size]byte) string { return tokenPrefix + hex.EncodeToString(hash[:]) }

func requestKey(key registry.RequestKey) string {
	sum := sha256.Sum256(boltdb.Key(key.Tenant, key.Caller, key.ID))
	return requestPrefix + hex.EncodeToString(sum[:])
}

// rowOf returns the agent's name and the generation in the key of a row's item.
func rowOf(tenant, row string) (name, generation string) {
	rest := strings.TrimPrefix(row, escape.Replace(tenant)+"#")
	name, rest, _ = strings.Cut(rest, "#")
	generation, _, _ = strings.Cut(rest, "#")
	generation, _, _ = strings.Cut(generation, "%") // the kind
	return name, generation
}

// short returns a skill's id or a tag; if it is too long for a key, its beginning and a digest.
func short(skill string) string {
	if len(boltdb.Key(skill)) <= maxPart {
		return skill
	}
	sum := sha256.Sum256([]byte(skill))
	return strings.ToValidUTF8(skill[:keptPart], "") + hex.EncodeToString(sum[:])
}

func keyItem(name string) ddb.Item {
	return ddb.Item{attrAgentName: &types.AttributeValueMemberS{Value: name}}
}

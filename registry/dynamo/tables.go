package dynamo

import "github.com/quorate/quorate/platform/ddb"

// Names of tables and indexes.
const (
	tableMetadata = "AgentMetadata"
	tableStatus   = "AgentStatus"
	tableChanges  = "Changes"
	indexSkills   = "SkillIndex"
	indexListing  = "Listing"
)

// Names of attributes that keys and conditions use.
const (
	attrAgentName = "agent_name"
	attrSkillID   = "skill_id"
	attrTags      = "tags"
	attrListing   = "listing"
	attrPosition  = "position"
	attrLastReq   = "last_req"
	attrCreatedAt = "created_at"
	attrTTL       = "ttl"
	attrExpireNS  = "expire_ns"
	attrTenant    = "tenant"
	attrRevision  = "revision"
)

// Values of the attribute listing: what is listed in order of position.
const (
	listAgents = "agents"
	listSkills = "skills"
)

// Tables returns the tables that the store needs. No index holds anything that a heartbeat changes.
func Tables() []ddb.Table {
	return []ddb.Table{
		{
			Name: tableMetadata, Hash: ddb.Text(attrAgentName), TTL: attrTTL,
			Indexes: []ddb.Index{
				{Name: indexSkills, Hash: ddb.Text(attrSkillID), Range: ddb.Text(attrAgentName), Include: []string{attrCreatedAt, attrTags}},
				{Name: indexListing, Hash: ddb.Text(attrListing), Range: ddb.Bytes(attrPosition), Include: []string{attrCreatedAt}},
			},
		},
		{Name: tableStatus, Hash: ddb.Text(attrAgentName), TTL: attrTTL},
		{Name: tableChanges, Hash: ddb.Text(attrTenant), Range: ddb.Number(attrRevision)},
	}
}

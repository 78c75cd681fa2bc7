// Package dynamo keeps agents in two DynamoDB tables, and the log of their changes in a third, for any number of replicas.
//
// An agent is one item of AgentMetadata, with the attributes of the data model, and one item of AgentStatus. Its key begins with its tenant:
// default#web-fetch. Items of their own in AgentMetadata hold a large card's bytes, the agent's credential, the requests to remember, and a
// row for each skill, for each tag and for what the name looks like. These rows alone have the attribute skill_id, and so make up the
// sparse index SkillIndex.
//
// Indexes lag behind. They only say where to look: what is returned was read from the items themselves, consistently, and a row
// of an index that its agent does not bear out counts for nothing. A list may therefore miss what was written a moment ago; it
// never shows what is not so.
//
// Every write has a condition on last_req, the id of the write before it. A write whose answer was lost is looked up there, and
// is reported as WRITE_OUTCOME_UNKNOWN when others have written so often since that nobody can tell.
//
// The entry of the change log is part of each write's transaction, with the next revision as a condition. Those who wait for the
// end of a tenant's log in one process are written by one transaction, so the log grows by up to some dozens in the time of a write;
// processes that append at the same time take turns by that condition.
//
// More skills and tags than a transaction holds are written beforehand as a generation of their own, which the agent's item then names;
// rows of other generations are garbage, which readers remove.
package dynamo

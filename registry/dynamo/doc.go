// Package dynamo keeps agents in two DynamoDB tables, and the log of their changes in a third, for any number of replicas.
//
// An agent is one item of AgentMetadata, with the attributes of the data model, and one item of AgentStatus. The key begins with the tenant:
// default#web-fetch. Separate items in AgentMetadata hold the bytes of a large card, the agent's credential, remembered requests, and one row for
// each skill, for each tag and for the look of the name. Only these rows have the attribute skill_id, and so they make up the sparse index
// SkillIndex.
//
// Indexes lag behind, so they only say where to look: results are read consistently from the items themselves, and an index row that its agent does
// not confirm is ignored. A list may therefore miss a recent write, but never shows anything false.
//
// Every write has a condition on last_req, the id of the write before it. If the answer to a write is lost, the ids in the item show whether it was
// made; if there were too many writes since to tell, the result is WRITE_OUTCOME_UNKNOWN.
//
// The entry in the change log is part of each write's transaction, with the next revision as a condition. Within one process, changes that wait for
// the end of a tenant's log are written in one transaction, so the log can grow by some dozens of entries in the time of one write. Processes that
// append at the same time take turns by that condition.
//
// If there are more skills and tags than fit into a transaction, their rows are written beforehand as a new generation, to which the agent's item
// then refers. Rows of other generations are garbage, which readers remove.
package dynamo

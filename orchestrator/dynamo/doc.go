// Package dynamo keeps tasks, and who works on them, in three DynamoDB tables, for any number of replicas.
//
// A task is one small item of Tasks, rewritten with each step on condition that nobody else has written since it was read, and immutable records in
// TaskBlobs. Each step adds one record with its events and new content; large content, and events that do not fit into one item, get items of their
// own. Records are written before the task's item that refers to them, so no transactions are needed: nothing ever refers to what a failed writer
// leaves behind. Each record with events refers to the one before it, so the task's item leads to the whole log.
//
// The index OpenTasks holds the tasks that are not settled, by shard; it only says where to look. TaskListing has a key for each day and bucket of a
// tenant, so that no single key gets all writes of a tenant. Neither changes when a task takes a step.
//
// Expired items are never returned: DynamoDB removes them some days after ttl, and readers ignore them until then.
package dynamo

// Package dynamo keeps tasks, and who works on them, in three DynamoDB tables, for any number of replicas.
//
// A task is one small item of Tasks, rewritten with each step under the condition that nobody else has written since it was read, and
// immutable records in TaskBlobs. Each step adds one record with its events and whatever content is new; large content, and
// events that one item has no room for, get items of their own. Records are written first and the task's item then names them, so no transaction is needed: what a writer that failed leaves
// behind is never named by anything. Each record with events names the one before it, and so the log is what the task's item leads to.
//
// The index OpenTasks holds the tasks that are not settled, by shard, and nothing else; it only says where to look. TaskListing has a key
// for each day and bucket of a tenant, so that no key gets all of a tenant's writes. Neither changes when a task takes a step.
//
// What is over stays readable to nobody: DynamoDB removes it some days after ttl, and until then readers leave it out.
package dynamo

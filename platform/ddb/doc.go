// Package ddb is what the stores on DynamoDB share: a client with the right retries, table descriptors that a plan is made
// from, batches that are finished, and writes whose outcome is known or said to be unknown.
//
// The standard retryer of the SDK is used, never the adaptive mode, which slows a whole client down to a few calls a minute
// when one table is throttled. A write that the SDK has sent twice, because the first answer was lost, is never taken for a
// refusal without looking at the item: the store's items carry the id of the request that wrote them.
package ddb

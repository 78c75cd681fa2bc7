// Package ddb is what the stores on DynamoDB share: a client with suitable retries, table descriptors with plan and apply,
// batches that are repeated until they are complete, and writes whose outcome is either known or reported as unknown.
//
// The SDK's standard retryer is used, never the adaptive mode, which slows a whole client down to a few calls a minute when
// one table is throttled. If the SDK sends a write twice because the first response was lost, the second may fail on its own
// condition. So such a failure is not believed before the item was checked: items contain the ids of the writes that made them.
package ddb

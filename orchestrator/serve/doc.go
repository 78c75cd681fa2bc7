// Package serve implements `quorate serve`: Quorate for production, as one process over the embedded store or as any number of identical replicas
// over DynamoDB. If any setting cannot be applied, it does not start.
package serve

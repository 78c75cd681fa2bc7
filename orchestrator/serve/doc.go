// Package serve is `quorate serve`: Quorate for production, one process over the embedded store or any number of identical replicas over
// DynamoDB. What its configuration says is applied, or it does not start.
package serve

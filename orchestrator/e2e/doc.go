// Package e2e holds the black-box tests: they build the quorate binary, start it as a user would, and use it through its CLI, REST and gRPC.
package e2e

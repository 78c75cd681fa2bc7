// Package dev runs all of Quorate in one process on loopback: the servers over the embedded store, the web-fetch agent, the reviewer, and a small
// demo site that the web-fetch agent may read, so that the first example works without an account, Docker or a network.
package dev

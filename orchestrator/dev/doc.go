// Package dev runs all of Quorate in one process on loopback: the server over the embedded store, the web-fetch agent, the reviewer, and a small demo
// site that the web-fetch agent may read. The first example works without an account, Docker or a network.
package dev

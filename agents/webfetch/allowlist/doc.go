// Package allowlist says which hosts may be read, and lets an operator change that while the agent runs.
//
// An entry is a host such as example.com, or *.example.com for every name below it (not example.com itself); either may end
// in a port, and without one stands for every port, of which package webfetch reads those of the web. A wildcard never covers
// a public suffix: *.co.jp would open a country.
// Each tenant has a list of its own; entries of the configuration hold for all of them and cannot be removed.
//
// The list says which names may be asked for. Whether an address may be dialled is package netguard's to say, after DNS.
package allowlist

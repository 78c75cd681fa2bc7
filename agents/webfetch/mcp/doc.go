// Package mcp serves a webfetch.Fetcher as an MCP server, over stdio and streamable HTTP.
//
// The default profile has the tools fetch_url, fetch_links, extract and list_domains with every field of a request, and each
// of the other profiles the tools of the program that it comes from: their names, inputs and outputs. Tools that change the list
// of domains are there only when an operator says so. Text from a page stands between two lines with a number that the page cannot
// guess, so that it cannot pretend to have ended.
//
// Over HTTP a client is known by the Mcp-Session-Id that it was given, and the cookies of its fetches are its alone. The protocol of 2026-07-28
// has no such id: its clients are told apart by the Authorization header that they send, and those that send the same one, or none, share the
// cookies of a session that they name alike.
package mcp

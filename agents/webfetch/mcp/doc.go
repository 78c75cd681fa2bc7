// Package mcp serves a webfetch.Fetcher as an MCP server, over stdio and streamable HTTP.
//
// The default profile has the tools fetch_url, fetch_links, extract and list_domains with all fields of a request. Each other profile has the tools
// of the program that it comes from, with the same names, inputs and outputs. Tools that change the list of domains exist only if an operator enables
// them. Text of a page is enclosed by two lines with a number that the page cannot guess, so that it cannot pretend to have ended.
//
// Over HTTP a client is identified by the Mcp-Session-Id that it was given, and the cookies of its fetches are its own. The protocol of 2026-07-28
// has no such id: its clients are told apart by their Authorization header. Clients with the same header, or without one, share the cookies of
// sessions with the same name.
package mcp

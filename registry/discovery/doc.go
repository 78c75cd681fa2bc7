// Package discovery finds agents in places that an operator configures: lists of card URLs, folders of card files and AI Catalogs. It reads each on
// its own schedule and registers what it finds.
//
// Each agent has a source, and a source never takes over an agent of another source or of an admin. When a source no longer exists, or no longer has
// an agent, the agent is marked and stays: only admins delete agents.
package discovery

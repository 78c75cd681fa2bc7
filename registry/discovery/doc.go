// Package discovery finds agents in places that an operator names: lists of card URLs, folders of card files and AI Catalogs. It
// reads each on its own schedule and registers what it finds.
//
// An agent remembers its source, and a source never takes over an agent of another one or of an admin. When a source, or the
// agent in it, is no longer there, the agent is marked and stays: deleting is for admins.
package discovery

// Package router decides which agent gets a task, and says why.
//
// A request names an agent, names a skill, says what it has and wants, or gives a text. Every way runs the same pipeline: find candidates; filter out
// those that cannot take the task, may not take it, or have another version than was asked for; score the rest by status, load, latency, errors and
// relevance; and choose. The decision names every agent that was considered. A dry run and a dispatch are the same call.
//
// Scores order candidates; they never admit one. Load, latency and errors are as this process sees them: a replica learns from the tasks that it
// drives itself.
package router

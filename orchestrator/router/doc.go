// Package router decides which agent gets a task, and says why.
//
// A request names an agent, a skill, what it has and wants, or gives a text. Every way runs the same pipeline: find candidates, filter out
// those that cannot take it, that may not, and that have another version than was asked for, score the rest by status, load, latency, errors
// and relevance, and choose. The decision names every agent that was looked at. A dry run and a dispatch are the same call.
//
// Scores order candidates; they never admit one. Signals are those of this process: a replica learns from the tasks that it drives itself.
package router

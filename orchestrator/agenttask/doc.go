// Package agenttask keeps what an agent says, in one attempt, of the task that it has made for one of ours: its answers and updates put together, within
// bounds, in a form that stores keep and clients read. It does no input or output. What becomes of it is package engine's to decide.
package agenttask

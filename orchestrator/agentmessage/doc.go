// Package agentmessage makes the messages that agents get: that of a task, a reply, and the question of a consultation. What callers say to Quorate is left
// out, and what Quorate says is put in where no caller can say it. It does no input or output; package engine decides when a message is sent.
package agentmessage

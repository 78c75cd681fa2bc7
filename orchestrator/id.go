package orchestrator

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
)

// TaskID returns the id of a task: 26 lower-case letters and digits, 128 bits. With a request id it is derived from that and the caller, so that a
// retry finds the same task without an index. Without one it starts with the time, so that tasks of about the same time are neighbours in ordered
// stores, followed by 80 random bits.
func TaskID(tenant, caller, requestID string) string {
	if requestID == "" {
		var b [16]byte
		const random = 6
		binary.BigEndian.PutUint64(b[:], uint64(time.Now().UnixMilli())<<16)
		rand.Read(b[random:])
		return encodeID(b[:])
	}
	return hashID(tenant, caller, requestID)
}

// IsTaskID reports whether an id has the form of TaskID.
func IsTaskID(id string) bool {
	return len(id) == taskIDLength && !strings.ContainsFunc(id, func(c rune) bool { return !strings.ContainsRune(idAlphabet, c) })
}

// MessageID returns the A2A message id of an attempt. It never changes, so that an agent can tell a repeated message from new work; that of a later task
// under the same id, which a request id can have once the first is no longer kept, is another one.
func (t *Task) MessageID(attempt int) string { return hashID(t.ID, t.born(), strconv.Itoa(attempt)) }

// TurnID returns the A2A message id under which the agent gets the reply with a number; like MessageID it never changes.
func (t *Task) TurnID(number int) string {
	return hashID(t.ID, t.born(), "turn", strconv.Itoa(number))
}

// StepRequestID returns the request id of the task of a step, from 1, so that submitting it again finds it.
func (t *Task) StepRequestID(step int) string {
	return t.ID + "." + t.born() + "." + strconv.Itoa(step)
}

// born tells the task from others that had its id before.
func (t *Task) born() string { return strconv.FormatInt(t.CreateTime.UnixMicro(), 36) }

func hashID(fields ...string) string {
	h := sha256.New()
	for _, f := range fields {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(f)))
		h.Write(n[:])
		h.Write([]byte(f))
	}
	return encodeID(h.Sum(nil)[:16])
}

const (
	idAlphabet   = "234567abcdefghijklmnopqrstuvwxyz"
	taskIDLength = 26
)

// encoding preserves the order of what it encodes.
var encoding = base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding)

func encodeID(b []byte) string { return encoding.EncodeToString(b) }

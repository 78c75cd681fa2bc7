package orchestrator

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strconv"
	"time"
)

// TaskID derives a task's id from who asked and the id of the request, so that a retry finds the same task without an index. Without a
// request id it begins with the time, so that tasks of one time lie together where keys are kept in order, and goes on at random, 80 bits.
// 26 lower-case letters and digits, 128 bits.
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

// MessageID derives the A2A message id of an attempt: the same attempt is always sent under the same name, so that an agent can
// tell a repetition from new work.
func MessageID(taskID string, attempt int) string {
	return hashID(taskID, strconv.Itoa(attempt))
}

// TurnID derives the A2A message id under which the agent gets the reply with a number, stable as that of an attempt.
func TurnID(taskID string, number int) string {
	return hashID(taskID, "turn", strconv.Itoa(number))
}

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

// encoding keeps the order of what it encodes.
var encoding = base32.NewEncoding("234567abcdefghijklmnopqrstuvwxyz").WithPadding(base32.NoPadding)

func encodeID(b []byte) string { return encoding.EncodeToString(b) }

package kit

import (
	"encoding/json"
	"net/http"
)

// pingPath is where Amazon Bedrock AgentCore asks whether an agent in its runtime works.
const pingPath = "/ping"

// health is the answer to a ping. AgentCore ends sessions that are idle, unless their agent says that it is busy.
type health struct {
	Status           string `json:"status"`              // Healthy or HealthyBusy
	TimeOfLastUpdate int64  `json:"time_of_last_update"` // since when, in seconds of Unix time
}

// servePing reports whether the agent works on tasks. Like the card, it is public, because those who ask send no token.
func (a *Agent) servePing(w http.ResponseWriter, _ *http.Request) {
	busy, since := a.working.activity()
	if since.IsZero() {
		since = a.made
	}
	h := health{Status: "Healthy", TimeOfLastUpdate: since.Unix()}
	if busy {
		h.Status = "HealthyBusy"
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(h) // the client has gone
}

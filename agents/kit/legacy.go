package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// legacyCard is where clients of A2A 0.2 and 0.3 look for the card.
const legacyCard = "/.well-known/agent.json"

// newLegacyCard returns the card as clients of A2A 0.3 read it, which know JSON-RPC only here.
func newLegacyCard(ctx context.Context, card *a2a.AgentCard, jsonRPC string) ([]byte, error) {
	old := *card
	old.SupportedInterfaces = []*a2a.AgentInterface{{URL: jsonRPC, ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: a2av0.Version}}
	producer, ok := a2av0.NewStaticAgentCardProducer(&old).(a2asrv.AgentCardJSONProducer)
	if !ok {
		return nil, errors.New("the SDK makes no JSON of cards")
	}
	return producer.CardJSON(ctx)
}

// jsonRPC answers in the version of A2A that the caller speaks: the methods of 0.3 have a slash in their names, those of 1.0 have none.
// Amazon Bedrock AgentCore calls agents with message/send.
func jsonRPC(current, legacy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get(a2a.SvcParamVersion), "1.") {
			current.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		var head struct {
			Method string `json:"method"`
		}
		handler := current
		if err == nil && json.Unmarshal(body, &head) == nil && strings.Contains(head.Method, "/") {
			handler = legacy
			w.Header().Set("Content-Type", "application/json") // the SDK sets it for results and streams only
			if v := r.Header.Get(a2a.SvcParamVersion); v == string(a2av0.Version) || strings.HasPrefix(v, string(a2av0.Version)+".") {
				r.Header.Del(a2a.SvcParamVersion) // the board carries the call out as one of its own version, and refuses all others
			}
		}
		r.Body = &replayed{bytes.NewReader(body), err, r.Body}
		handler.ServeHTTP(w, r)
	})
}

// replayed is a body that was read and is read again, with the error that reading it ended with.
type replayed struct {
	read *bytes.Reader
	err  error
	io.Closer
}

// Read implements io.Reader.
func (b *replayed) Read(p []byte) (int, error) {
	n, err := b.read.Read(p)
	if err != nil && b.err != nil {
		err = b.err
	}
	return n, err
}

package serve

import (
	"time"

	"github.com/quorate/quorate/platform/netguard"
)

// Routing configures routing by text. Without an endpoint, words and examples decide.
type Routing struct {
	EmbeddingsURL     string        `yaml:"embeddingsURL" doc:"Base URL of an OpenAI-compatible embeddings endpoint, such as https://api.openai.com/v1, that is used when words do not decide; empty for none."`
	EmbeddingsModel   string        `yaml:"embeddingsModel" doc:"Model to ask for."`
	EmbeddingsKeyFile string        `yaml:"embeddingsKeyFile" doc:"File with the endpoint's API key; empty for none."`
	EmbeddingsTimeout time.Duration `yaml:"embeddingsTimeout" doc:"How long a decision waits for the endpoint, 10ms to 2s; after that it is made without it."`
}

const (
	minEmbeddings = 10 * time.Millisecond
	maxEmbeddings = 2 * time.Second

	defaultEmbeddings = 150 * time.Millisecond
)

// Validate refuses an incomplete endpoint.
func (r *Routing) Validate() error {
	switch {
	case r.EmbeddingsTimeout < minEmbeddings || r.EmbeddingsTimeout > maxEmbeddings:
		return invalid("embeddingsTimeout", "%s is not from %s to %s", r.EmbeddingsTimeout, minEmbeddings, maxEmbeddings)
	case r.EmbeddingsURL == "" && (r.EmbeddingsModel+r.EmbeddingsKeyFile != "" || r.EmbeddingsTimeout != defaultEmbeddings):
		return invalid("embeddingsURL", "embeddingsModel, embeddingsKeyFile and embeddingsTimeout need embeddingsURL")
	case r.EmbeddingsURL != "" && !netguard.IsEndpoint(r.EmbeddingsURL):
		return invalid("embeddingsURL", wantURL)
	case r.EmbeddingsURL != "" && r.EmbeddingsModel == "":
		return invalid("embeddingsModel", "say which model is asked for")
	case r.EmbeddingsKeyFile != "" && !netguard.IsPrivateURL(r.EmbeddingsURL):
		return invalid("embeddingsKeyFile", "a key is sent over TLS only: embeddingsURL must be https")
	}
	return nil
}

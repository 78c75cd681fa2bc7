package serve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator/doctor"
	"github.com/quorate/quorate/orchestrator/server"
)

func (c *Config) checkProvider(ctx context.Context) doctor.Finding {
	issuer := c.Auth.OIDC.Issuer
	if issuer == "" {
		return notConfigured(ctx)
	}
	provider, err := c.Auth.provider(ctx)
	if err == nil {
		err = provider.Reach(ctx)
	}
	if err != nil {
		return doctor.Failed(err, "check auth.oidc.issuer and auth.oidc.keysURL, and that this machine may connect to them")
	}
	return doctor.Found("the keys of %s can be read", issuer)
}

func (c *Config) checkJaeger(ctx context.Context) doctor.Finding {
	e := c.Evidence
	e.CloudWatchRegion = "" // which has a check of its own
	return e.check(ctx, "check evidence.jaegerURL, jaegerTokenFile, jaegerCA and jaegerTimeout, and that this machine may connect to it")
}

// checkCloudWatch makes one query of spans of two hours, as a gate does.
func (c *Config) checkCloudWatch(ctx context.Context) doctor.Finding {
	e := c.Evidence
	e.JaegerURL = ""
	return e.check(ctx, "check evidence.cloudWatchRegion and cloudWatchGroup, and that the policy allows logs:StartQuery, logs:GetQueryResults and logs:StopQuery there")
}

// check looks for a trace that nobody has recorded in each backend.
func (e *Evidence) check(ctx context.Context, do string) doctor.Finding {
	opened, err := e.open(ctx, nil)
	if err != nil {
		return doctor.Failed(err, do)
	}
	backends := opened.Backends()
	if len(backends) == 0 {
		return notConfigured(ctx)
	}
	id := make([]byte, 16)
	rand.Read(id)
	nobody := consultation.Consultation{ID: "doctor", TraceID: hex.EncodeToString(id), IssueTime: time.Now(), ExpireTime: time.Now()}
	begin := time.Now()
	for _, b := range backends {
		if _, err := b.Verdicts(ctx, nobody); err != nil {
			return doctor.Failed(err, do)
		}
	}
	return doctor.Found("it answered a query after %s", time.Since(begin).Round(time.Millisecond))
}

func (c *Config) checkEmbeddings(ctx context.Context) doctor.Finding {
	const do = "check the settings of routing.embeddings… and that this machine may connect to the endpoint; until then words alone decide"
	if c.Routing.EmbeddingsURL == "" {
		return notConfigured(ctx)
	}
	e, err := c.Routing.embeddings()
	if err != nil {
		return doctor.Failed(err, do)
	}
	begin := time.Now()
	if err := e.Try(ctx); err != nil {
		return doctor.Failed(err, do)
	}
	took := time.Since(begin).Round(time.Millisecond)
	if took > c.Routing.EmbeddingsTimeout { // the first answer may be slower than others
		return doctor.Warned("raise routing.embeddingsTimeout if that is usual: decisions do not wait longer", "it answered after %s, and routing.embeddingsTimeout is %s", took, c.Routing.EmbeddingsTimeout)
	}
	return doctor.Found("it answered after %s", took)
}

func (c *Config) checkCollector(ctx context.Context) doctor.Finding {
	if c.Telemetry.OTLPEndpoint == "" {
		return notConfigured(ctx)
	}
	t := c.Telemetry.config()
	if err := t.Reach(ctx); err != nil {
		return doctor.Failed(err, "check telemetry.otlpEndpoint, the collector's port for gRPC, and that this machine may connect to it; until then our own spans are lost")
	}
	if t.TraceRatio == 0 {
		return doctor.Warned("set telemetry.traceRatio, such as to 0.1, if there should be more",
			"%s takes spans, but telemetry.traceRatio is 0: it gets only those of consultations, and of calls whose callers record them", t.OTLPEndpoint)
	}
	return doctor.Found("%s takes spans", t.OTLPEndpoint)
}

// checkClock compares this machine's clock with that of a server that the configuration names.
func (c *Config) checkClock(ctx context.Context) doctor.Finding {
	if c.Store.Kind == KindDynamoDB {
		db, err := server.ReachTables(ctx, c.Store.DynamoDB())
		if err != nil {
			return doctor.Skipped("DynamoDB cannot be asked for the time")
		}
		return doctor.CheckClock(db.Now(), time.Now(), "DynamoDB")
	}
	for _, url := range []string{c.Auth.OIDC.Issuer, c.Routing.EmbeddingsURL, c.Evidence.JaegerURL} {
		if url == "" {
			continue
		}
		if there, here, err := dateOf(ctx, url); err == nil {
			return doctor.CheckClock(there, here, url)
		}
	}
	return doctor.Skipped("the configuration names no server that can be asked for the time")
}

// dateOf returns the date of an answer of a server, and our own time then.
func dateOf(ctx context.Context, url string) (there, here time.Time, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, url, http.NoBody)
	if err != nil {
		return there, here, err
	}
	response, err := http.DefaultTransport.RoundTrip(request) // follows no redirect
	if err != nil {
		return there, here, err
	}
	there, err = http.ParseTime(response.Header.Get("Date"))
	return there, time.Now(), errors.Join(err, response.Body.Close())
}

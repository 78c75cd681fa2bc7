package serve

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/cloudwatch"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/secretfile"
)

// Evidence says what counts as evidence that an agent was consulted, and where to look for it besides the verdicts that agents send.
type Evidence struct {
	Lowest          string        `yaml:"lowest" doc:"Lowest level of evidence that opens a gate. C3: the consulted agent signed it with a key that is pinned for it alone. C2: the agent sent it with its own credential. C1: it is in Jaeger or CloudWatch, where anybody with write access may have put it."`
	AnswerWithin    time.Duration `yaml:"answerWithin" doc:"How long a consulted agent may take to answer, 1m to 168h. After that the consultation has expired, and its evidence does not count."`
	JaegerURL       string        `yaml:"jaegerURL" doc:"URL of the query service of a Jaeger (v1.76, v2.13 or newer) that is searched for evidence, such as https://jaeger.example:16686; empty for none."`
	JaegerTokenFile string        `yaml:"jaegerTokenFile" doc:"File with the bearer token for it, reloaded when it changes; empty for none."`
	JaegerCA        string        `yaml:"jaegerCA" doc:"File with certificates of authorities (PEM) for its certificate; empty: those that this machine trusts."`
	JaegerTimeout   time.Duration `yaml:"jaegerTimeout" doc:"How long one query may take, 100ms to 10s; after that the requirement is unavailable."`

	CloudWatchRegion   string        `yaml:"cloudWatchRegion" doc:"AWS region where X-Ray stores spans in CloudWatch Logs (Transaction Search), which are searched for evidence; empty for none."`
	CloudWatchGroup    string        `yaml:"cloudWatchGroup" doc:"Log group of these spans."`
	CloudWatchEndpoint string        `yaml:"cloudWatchEndpoint" doc:"URL of a private endpoint of CloudWatch Logs; empty: AWS's own."`
	CloudWatchTimeout  time.Duration `yaml:"cloudWatchTimeout" doc:"How long one query may take, 1s to 1m; after that the requirement is unavailable."`
}

const (
	minAnswerWithin      = time.Minute
	maxAnswerWithin      = 7 * 24 * time.Hour
	minJaegerTimeout     = 100 * time.Millisecond
	maxJaegerTimeout     = 10 * time.Second
	minCloudWatchTimeout = time.Second
	maxCloudWatchTimeout = time.Minute

	defaultJaegerTimeout     = 2 * time.Second
	defaultCloudWatchTimeout = 10 * time.Second
)

// Validate refuses an unknown level, and an incomplete backend.
func (e *Evidence) Validate() error {
	switch {
	case !consultation.KnownLevel(e.Lowest):
		return invalid("lowest", "%q is not a level that can open a gate: C1, C2 or C3", e.Lowest)
	case e.JaegerURL+e.CloudWatchRegion == "" && e.Lowest == consultation.LevelCarried:
		return invalid("lowest", "evidence of level C1 comes from Jaeger or CloudWatch: set jaegerURL or cloudWatchRegion, or leave lowest at C2")
	case e.AnswerWithin < minAnswerWithin || e.AnswerWithin > maxAnswerWithin:
		return invalid("answerWithin", "%s is not from %s to %s", e.AnswerWithin, minAnswerWithin, maxAnswerWithin)
	}
	if err := e.validateJaeger(); err != nil {
		return err
	}
	return e.validateCloudWatch()
}

func (e *Evidence) validateJaeger() error {
	switch {
	case e.JaegerTimeout < minJaegerTimeout || e.JaegerTimeout > maxJaegerTimeout:
		return invalid("jaegerTimeout", "%s is not from %s to %s", e.JaegerTimeout, minJaegerTimeout, maxJaegerTimeout)
	case e.JaegerURL == "" && (e.JaegerTokenFile+e.JaegerCA != "" || e.JaegerTimeout != defaultJaegerTimeout):
		return invalid("jaegerURL", "jaegerTokenFile, jaegerCA and jaegerTimeout need jaegerURL")
	case e.JaegerURL == "":
		return nil
	}
	u, err := url.Parse(e.JaegerURL)
	switch {
	case err != nil || !netguard.IsEndpoint(e.JaegerURL):
		return invalid("jaegerURL", wantURL)
	case u.Scheme == "http" && e.JaegerCA != "":
		return invalid("jaegerCA", "jaegerURL has no TLS")
	case u.Scheme == "http" && e.JaegerTokenFile != "":
		if local, err := loopback(net.JoinHostPort(u.Hostname(), netguard.Port(u))); err != nil || !local {
			return invalid("jaegerTokenFile", "a token is sent over TLS only: jaegerURL must be https")
		}
	}
	return nil
}

// logGroup is what AWS allows in the name of a log group.
var logGroup = regexp.MustCompile(`^[A-Za-z0-9_./#-]{1,512}$`)

func (e *Evidence) validateCloudWatch() error {
	switch {
	case e.CloudWatchTimeout < minCloudWatchTimeout || e.CloudWatchTimeout > maxCloudWatchTimeout:
		return invalid("cloudWatchTimeout", "%s is not from %s to %s", e.CloudWatchTimeout, minCloudWatchTimeout, maxCloudWatchTimeout)
	case e.CloudWatchRegion == "" && (e.CloudWatchEndpoint != "" || e.CloudWatchGroup != cloudwatch.DefaultGroup || e.CloudWatchTimeout != defaultCloudWatchTimeout):
		return invalid("cloudWatchRegion", "cloudWatchEndpoint, cloudWatchGroup and cloudWatchTimeout need cloudWatchRegion")
	case e.CloudWatchRegion != "" && !ddb.IsRegion(e.CloudWatchRegion):
		return invalid("cloudWatchRegion", "%q is not an AWS region such as eu-central-1", e.CloudWatchRegion)
	case e.CloudWatchEndpoint != "" && !netguard.IsEndpoint(e.CloudWatchEndpoint):
		return invalid("cloudWatchEndpoint", wantURL)
	case e.CloudWatchRegion != "" && !logGroup.MatchString(e.CloudWatchGroup):
		return invalid("cloudWatchGroup", "%q is not the name of one: say which log group has the spans, such as X-Ray's aws/spans", e.CloudWatchGroup)
	}
	return nil
}

// open creates the configured backends, and reads their files.
func (e *Evidence) open(ctx context.Context, logger *slog.Logger) (opened server.Evidence, err error) {
	opened.Lowest, opened.AnswerWithin = e.Lowest, e.AnswerWithin
	if e.JaegerURL != "" {
		if opened.Jaeger, err = e.openJaeger(logger); err != nil {
			return opened, err
		}
	}
	if e.CloudWatchRegion != "" {
		opened.CloudWatch, err = cloudwatch.Open(ctx, cloudwatch.Config{
			Region: e.CloudWatchRegion, Endpoint: e.CloudWatchEndpoint, Group: e.CloudWatchGroup, Timeout: e.CloudWatchTimeout,
		})
	}
	return opened, err
}

func (e *Evidence) openJaeger(logger *slog.Logger) (j server.Jaeger, err error) {
	j.Timeout = e.JaegerTimeout
	if j.URL, err = url.Parse(e.JaegerURL); err != nil {
		return j, invalid("evidence.jaegerURL", "%w", err)
	}
	if e.JaegerTokenFile != "" {
		if j.Token, err = secretfile.Open(e.JaegerTokenFile, logger); err != nil {
			return j, invalid("evidence.jaegerTokenFile", "read the token for Jaeger: %w", err)
		}
	}
	if e.JaegerCA != "" {
		if j.Authorities, err = secretfile.Authorities(e.JaegerCA); err != nil {
			return j, invalid("evidence.jaegerCA", "read the authorities of Jaeger: %w", err)
		}
	}
	return j, nil
}

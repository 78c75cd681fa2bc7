package router

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/quorate/quorate/orchestrator/router/text"
	"github.com/quorate/quorate/platform/fault"
)

// Embedder turns texts into vectors of length 1 and equal dimension. It takes at most 64 texts at a time. An InvalidArgument fault says that it does
// not take one of them.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

const (
	defaultEmbedTimeout  = 150 * time.Millisecond // how long a decision waits for the second stage by default
	embedRetryDelay      = 10 * time.Second       // pause after a call that failed
	maxDocument          = 4000                   // bytes of a text
	maxConcurrentQueries = 32                     // decisions that wait for the second stage at a time; others decide without it
	confidentShare       = 0.8                    // probability above which the first stage decides alone
	clearRefusalShare    = 0.25                   // share of the limit below which a text is refused without a second opinion
	sameSkill            = 0.999                  // similarity above which two skills say the same, as those of an agent that runs twice do
	temperature          = 0.05                   // of similarities: the difference that makes one skill e times as likely as another
)

// secondStage is the second stage of routing by text: the vectors of an embedding model order skills that words do not tell apart. It is asked only when
// the first stage is not sure, waited for only briefly, and does no harm when it fails.
type secondStage struct {
	embedder Embedder
	timeout  time.Duration
	breaker  circuitbreaker.CircuitBreaker[any]
	slots    chan struct{} // holds a token for each decision that waits

	dropped chan struct{} // holds a token when vectors were dropped whose skills have to be read again

	mu        sync.Mutex
	vectors   map[[sha256.Size]byte][]float32 // guarded by mu; by the hash of the text
	troubles  map[string]error                // guarded by mu; by tenant, why some of its skills could not be read the last time; none when all could
	droppedAt time.Time                       // guarded by mu; when vectors were dropped the last time
}

func newSecondStage(e Embedder, timeout time.Duration) *secondStage {
	if e == nil {
		return nil
	}
	if timeout <= 0 {
		timeout = defaultEmbedTimeout
	}
	return &secondStage{
		embedder: e, timeout: timeout, slots: make(chan struct{}, maxConcurrentQueries), dropped: make(chan struct{}, 1), vectors: make(map[[sha256.Size]byte][]float32),
		breaker: circuitbreaker.NewBuilder[any]().WithFailureThreshold(3).WithSuccessThreshold(1).WithDelay(embedRetryDelay).Build(),
	}
}

// secondResult is the result of the second stage.
type secondResult struct {
	hits []text.Hit // in the order of the second stage, with new shares and scores
	fits bool       // one of the skills that were nearest for the first stage fits
	note string     // which stage decided, and why
}

var (
	errNotEmbedded = errors.New("it has not read all skills yet")
	errDimensions  = errors.New("its vectors for skills and for texts are of different lengths")
	errBusy        = errors.New("too many decisions wait for it")
	errCoolingDown = errors.New("it failed lately and is not asked for a while")
	errTimeout     = errors.New("it did not answer in time")
)

// judge gives a second opinion on the hits of the first stage, the best of each agent. document returns the text of a skill.
func (s *secondStage) judge(ctx context.Context, tenant, words string, a text.Answer, hits []text.Hit, document func(text.Hit) string) secondResult {
	o := secondResult{hits: hits}
	switch {
	case s == nil || len(hits) == 0:
		return o
	case a.Refused() && a.Confidence < clearRefusalShare*a.Limit, !a.Refused() && (hits[0].Share >= confidentShare || len(hits) == 1):
		o.note = "the first stage decided: it is sure"
		return o
	}
	skills, query, err := s.compare(ctx, tenant, words, hits, document)
	if err != nil {
		o.note = "the first stage decided: of the second, " + err.Error()
		return o
	}
	similar := similarities(query, skills)
	first := slices.Index(similar, slices.Max(similar))
	// A text fits a skill when it is nearer to the skill than the other skills are. That needs no limit for each model. Copies of the skill are no others.
	others := slices.DeleteFunc(similarities(skills[first], skills), func(v float64) bool { return v > sameSkill })
	o.fits = len(others) > 0 && similar[first] > slices.Max(others) && hits[first].Score >= minSecondOpinion*hits[0].Score
	o.hits = reorder(hits, similar)
	o.note = fmt.Sprintf("the second stage (embeddings) decided: similarity %.2f", similar[first])
	if len(others) > 0 {
		o.note += fmt.Sprintf(", while the skill nearest to this one has %.2f", slices.Max(others))
	}
	return o
}

func similarities(v []float32, list [][]float32) []float64 {
	out := make([]float64, len(list))
	for i, w := range list {
		for j := range v {
			out[i] += float64(v[j]) * float64(w[j])
		}
	}
	return out
}

// reorder sorts hits by the mean of both stages' probabilities. Copies of an agent count once, as in the first stage.
func reorder(hits []text.Hit, similar []float64) []text.Hit {
	most, sum, shares := slices.Max(similar), 0.0, 0.0
	for i, v := range similar {
		if !isCopy(hits, i) {
			sum += math.Exp((v - most) / temperature)
			shares += hits[i].Share
		}
	}
	out := slices.Clone(hits)
	for i := range out {
		p := math.Exp((similar[i]-most)/temperature) / sum
		if shares > 0 {
			p = (p + out[i].Share/shares) / 2
		}
		out[i].Share, out[i].Score = p, p
	}
	slices.SortStableFunc(out, func(x, y text.Hit) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), strings.Compare(x.Agent, y.Agent))
	})
	return out
}

// compare returns the vectors of the skills in hits and of the text, all of the same dimension.
func (s *secondStage) compare(ctx context.Context, tenant, words string, hits []text.Hit, document func(text.Hit) string) (skills [][]float32, query []float32, err error) {
	skills = make([][]float32, len(hits))
	s.mu.Lock()
	for i, h := range hits {
		skills[i] = s.vectors[sha256.Sum256([]byte(document(h)))]
	}
	trouble := s.troubles[tenant]
	s.mu.Unlock()
	switch unread := slices.ContainsFunc(skills, func(v []float32) bool { return v == nil }); {
	case unread && trouble != nil:
		return nil, nil, fmt.Errorf("%w: %w", errNotEmbedded, trouble)
	case unread:
		return nil, nil, errNotEmbedded
	}
	query, err = s.embedQuery(ctx, words)
	if err == nil && slices.ContainsFunc(skills, func(v []float32) bool { return len(v) != len(query) }) {
		s.dropOthers(tenant, len(query))
		err = errDimensions
	}
	return skills, query, err
}

// embedQuery returns the vector of a text if it is ready within the time that a decision may wait.
func (s *secondStage) embedQuery(ctx context.Context, words string) ([]float32, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return nil, errBusy
	}
	if !s.breaker.TryAcquirePermit() {
		return nil, errCoolingDown
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout) // for the breaker: a caller that disconnects says nothing about the endpoint
	defer cancel()
	vectors, err := s.embedder.Embed(ctx, []string{beginning(words, maxDocument)})
	if fault.KindOf(err) == fault.InvalidArgument && len(words) > shortDocument { // it may be longer than the model reads
		vectors, err = s.embedder.Embed(ctx, []string{beginning(words, shortDocument)})
	}
	switch {
	case err == nil:
		s.breaker.RecordSuccess()
		return vectors[0], nil
	case fault.KindOf(err) == fault.InvalidArgument: // it is about this text; others are taken
		s.breaker.RecordSuccess()
	default:
		s.breaker.RecordFailure()
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w (%s)", errTimeout, s.timeout)
	}
	return nil, fmt.Errorf("it failed: %w", err)
}

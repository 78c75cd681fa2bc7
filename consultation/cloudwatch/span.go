package cloudwatch

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
)

// span is a span as X-Ray writes it to the log group, as far as a verdict needs it.
type span struct {
	TraceID  string `json:"traceId"`
	SpanID   string `json:"spanId"`
	Name     string `json:"name"`
	Resource struct {
		Attributes map[string]any `json:"attributes"`
	} `json:"resource"`
	Attributes map[string]any `json:"attributes"`
}

// verdicts decodes the spans in a query's results. An unreadable span is an error: the log may have truncated it.
func verdicts(results [][]types.ResultField) ([]consultation.Claim, error) {
	traces := ptrace.NewTraces()
	for _, row := range results {
		message := ""
		for _, field := range row {
			if aws.ToString(field.Field) == "@message" {
				message = aws.ToString(field.Value)
			}
		}
		decoder := json.NewDecoder(strings.NewReader(message))
		decoder.UseNumber()
		var s span
		if err := decoder.Decode(&s); err != nil {
			return nil, fmt.Errorf("a span in the log group is not one of X-Ray: %w", err)
		}
		if decoder.More() { // it may be a stricter verdict
			return nil, errors.New("an event in the log group has more than one span")
		}
		if err := s.into(traces.ResourceSpans().AppendEmpty()); err != nil {
			return nil, err
		}
	}
	return otlp.VerdictsIn(traces), nil
}

// into writes s in OpenTelemetry's form.
func (s *span) into(rs ptrace.ResourceSpans) error {
	traceID, err := hex.DecodeString(s.TraceID)
	if err != nil || len(traceID) != len(pcommon.TraceID{}) {
		return fmt.Errorf("a span in the log group has the trace id %.40q", s.TraceID)
	}
	spanID, err := hex.DecodeString(s.SpanID)
	if err != nil || len(spanID) != len(pcommon.SpanID{}) {
		return fmt.Errorf("a span in the log group has the id %.40q", s.SpanID)
	}
	to := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	to.SetName(s.Name)
	to.SetTraceID(pcommon.TraceID(traceID))
	to.SetSpanID(pcommon.SpanID(spanID))
	put(rs.Resource().Attributes(), s.Resource.Attributes)
	put(to.Attributes(), s.Attributes)
	return nil
}

// put copies attributes of the types that verdicts have; of others it keeps only the keys.
func put(to pcommon.Map, from map[string]any) {
	for key, value := range from {
		switch v := value.(type) {
		case string:
			to.PutStr(key, v)
		case json.Number:
			if n, err := v.Int64(); err == nil {
				to.PutInt(key, n)
				continue
			}
			to.PutEmpty(key)
		default:
			to.PutEmpty(key)
		}
	}
}

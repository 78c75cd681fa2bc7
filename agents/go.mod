module github.com/quorate/quorate/agents

go 1.26.0

require (
	github.com/a2aproject/a2a-go/v2 v2.4.0
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/quorate/quorate/platform v0.0.0
	github.com/quorate/quorate/proto v0.0.0
	go.opentelemetry.io/collector/pdata v1.70.0
	go.opentelemetry.io/otel v1.47.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.47.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v1.47.0
	go.opentelemetry.io/otel/sdk v1.47.0
	go.opentelemetry.io/otel/trace v1.47.0
	google.golang.org/genproto/googleapis/api v0.0.0-20261019180522-ce908d29299b
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261019180522-ce908d29299b
	google.golang.org/grpc v1.84.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace (
	github.com/quorate/quorate/platform => ../platform
	github.com/quorate/quorate/proto => ../proto
)

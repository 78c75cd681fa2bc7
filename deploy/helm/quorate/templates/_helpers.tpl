{{- define "quorate.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "quorate.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "quorate.labels" -}}
{{ include "quorate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "quorate.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "quorate.name" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{/* The configuration, with the names under which the service is reached inside the cluster. */}}
{{- define "quorate.config" -}}
{{- $service := include "quorate.name" . -}}
{{- $namespaced := printf "%s.%s" $service .Release.Namespace -}}
{{- $names := list $service $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced) -}}
{{- $config := deepCopy .Values.config -}}
{{- $_ := set $config.http "allowedHosts" (concat (.Values.config.http.allowedHosts | default list) $names | uniq) -}}
{{- toYaml $config -}}
{{- end -}}

{{- define "quorate.scheme" -}}
{{- if .Values.config.tls.cert }}HTTPS{{ else }}HTTP{{ end -}}
{{- end -}}

{{- define "quorate.httpPort" -}}
{{- .Values.config.http.addr | splitList ":" | last | int -}}
{{- end -}}

{{- define "quorate.grpcPort" -}}
{{- .Values.config.grpc.addr | splitList ":" | last | int -}}
{{- end -}}

{{/* The number of replicas; empty if it is null, which Helm takes out of the values. */}}
{{- define "quorate.replicas" -}}
{{- get .Values.AsMap "replicas" -}}
{{- end -}}

{{/* How a path is probed. A kubelet has no certificate: where clients need one it can only see that somebody listens. */}}
{{- define "quorate.probe" -}}
{{- if .root.Values.config.tls.clientCA -}}
tcpSocket: {port: http}
{{- else -}}
httpGet: {path: {{ .path }}, port: http, scheme: {{ include "quorate.scheme" .root }}}
{{- end -}}
{{- end -}}

{{/* A value of a variable as text. Helm reads numbers as floating-point ones, and would write a large one as 1.048576e+06. */}}
{{- define "quorate.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/* How much memory Go may take before it collects garbage harder. */}}
{{- define "quorate.memory" -}}
{{- $limit := dig "limits" "memory" "" (get .Values.AsMap "resources" | default dict) | toString -}}
{{- if hasSuffix "Gi" $limit -}}
{{- mulf 921.6 (trimSuffix "Gi" $limit | float64) | int -}}MiB
{{- else if hasSuffix "Mi" $limit -}}
{{- mulf 0.9 (trimSuffix "Mi" $limit | float64) | int -}}MiB
{{- end -}}
{{- end -}}

{{/* What would keep every replica from starting. */}}
{{- define "quorate.check" -}}
{{- if ne .Values.config.store.kind "dynamodb" -}}
{{- fail "config.store.kind: the chart is for replicas over DynamoDB; the embedded store is one process with a folder of its own" -}}
{{- end -}}
{{- if and (hasPrefix "/etc/quorate/tls/" (.Values.config.tls.cert | default "")) (not .Values.tlsSecretName) -}}
{{- fail "tlsSecretName: name the Secret with the certificate, or set config.tls.cert and config.tls.key to \"\" and config.tls.plaintext to true" -}}
{{- end -}}
{{- end -}}

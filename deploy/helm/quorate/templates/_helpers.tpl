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
{{- .Values.serviceAccount.name | default (include "quorate.name" .) -}}
{{- end -}}

{{- define "quorate.scheme" -}}
{{- if .Values.tlsSecretName }}HTTPS{{ else }}HTTP{{ end -}}
{{- end -}}

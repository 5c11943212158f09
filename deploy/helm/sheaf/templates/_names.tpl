{{- define "sheaf.name" -}}
{{- if contains "sheaf" .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-sheaf" .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{/* What selects pods: never changes between versions. Of (dict "root" $ "component" "api"). */}}
{{- define "sheaf.selector" -}}
app.kubernetes.io/name: sheaf
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "sheaf.labels" -}}
{{ include "sheaf.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "sheaf.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "sheaf.name" .) }}
{{- end -}}

{{- define "sheaf.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

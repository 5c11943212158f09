{{/* The variables of every pod. Of (dict "root" $ "memoryLimitMb" 1024 "cpuCores" 2). */}}
{{- define "sheaf.environment" -}}
{{- $values := .root.Values -}}
{{- $secret := $values.existingSecret -}}
{{- /* Named one by one: a pod without one of them does not start. Each would generate its own otherwise. */ -}}
{{- $secrets := list "DATABASE_URL" "APP_SECRET_KEY" "JWT_SECRET" "SESSION_SECRET" -}}
{{- if eq $values.storage.type "s3" -}}
{{- $secrets = concat $secrets (list "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY") -}}
{{- else if eq $values.storage.type "azure" -}}
{{- $secrets = append $secrets "AZURE_STORAGE_CONNECTION_STRING" -}}
{{- end -}}
{{- range $secrets }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ . }}
{{- end }}
- name: SERVER_ADDRESS
  value: 0.0.0.0:8080
- name: PROBE_HOST
  value: 0.0.0.0
- name: PROBE_PORT_BASE
  value: "9100"
- name: SHUTDOWN_GRACE_SECONDS
  value: {{ $values.shutdownGraceSeconds | quote }}
- name: PARSER_SANDBOX
  value: {{ $values.security.parserSandbox }}
- name: MEMORY_LIMIT_MB
  value: {{ .memoryLimitMb | int | quote }}
- name: CPU_CORES
  value: {{ .cpuCores | int | quote }}
- name: STORAGE_TYPE
  value: {{ $values.storage.type }}
{{- with $values.storage }}
{{- if eq .type "s3" }}
- name: S3_BUCKET_NAME
  value: {{ .s3.bucket | quote }}
- name: S3_REGION
  value: {{ .s3.region | quote }}
{{- if .s3.endpointUrl }}
- name: S3_ENDPOINT_URL
  value: {{ .s3.endpointUrl | quote }}
{{- end }}
{{- if .s3.prefix }}
- name: S3_PREFIX
  value: {{ .s3.prefix | quote }}
{{- end }}
{{- else if eq .type "azure" }}
- name: AZURE_STORAGE_CONTAINER
  value: {{ .azure.container | quote }}
{{- end }}
{{- end }}
{{- if not (hasKey $values.config "LOG_FORMAT") }}
- name: LOG_FORMAT
  value: json
{{- end }}
{{- range $name, $value := $values.config }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

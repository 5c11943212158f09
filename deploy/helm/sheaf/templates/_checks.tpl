{{/* Refuses values that no schema can judge by itself. */}}
{{- define "sheaf.checks" -}}
{{- with .Values.storage -}}
{{- if and (eq .type "s3") (not .s3.bucket) -}}
{{- fail "storage.s3.bucket: name the bucket of the documents" -}}
{{- end -}}
{{- if and (eq .type "azure") (not .azure.container) -}}
{{- fail "storage.azure.container: name the container of the documents" -}}
{{- end -}}
{{- if and (eq .type "local") (not (and .local.existingClaim .local.isReadWriteMany)) -}}
{{- fail "storage.type=local: each process is a pod of its own, so documents in a volume need storage.local.existingClaim with ReadWriteMany and storage.local.isReadWriteMany=true; otherwise set storage.type to s3 or azure" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.backups.schedule (not .Values.backups.existingClaim) -}}
{{- fail "backups.schedule: needs a volume, backups.existingClaim" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host: name the host" -}}
{{- end -}}
{{- with .Values.ocrWorker.autoscaling -}}
{{- if gt (int .minReplicas) (int .maxReplicas) -}}
{{- fail "ocrWorker.autoscaling: minReplicas must not be above maxReplicas" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The Deployment of a process, with its disruption budget. What "sheaf.pod" takes, and
  "isScaled"   whether an autoscaler sets the number of its pods
*/}}
{{- define "sheaf.deployment" -}}
{{- include "sheaf.checks" .root -}}
{{- $name := printf "%s-%s" (include "sheaf.name" .root) .component -}}
{{- $stopSeconds := add .root.Values.shutdownGraceSeconds (.values.drainSeconds | default 0) 10 -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels: {{- include "sheaf.labels" . | nindent 4 }}
spec:
  {{- if not .isScaled }}
  replicas: {{ .values.replicas | int }}
  {{- end }}
  # The new pod is ready before an old one goes; a watcher or sync that stands by is ready.
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels: {{- include "sheaf.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "sheaf.selector" . | nindent 8 }}
      annotations:
        kubectl.kubernetes.io/default-container: {{ .component }}
        {{- if and .root.Values.metrics.annotations (not .root.Values.metrics.podMonitor.enabled) }}
        prometheus.io/scrape: "true"
        prometheus.io/path: /metrics
        prometheus.io/port: {{ .port | quote }}
        {{- end }}
        {{- with .values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "sheaf.serviceAccount" .root }}
      terminationGracePeriodSeconds: {{ $stopSeconds }}
      {{- include "sheaf.pod" . | nindent 6 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "sheaf.selector" . | nindent 14 }}
      {{- with .values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- if .root.Values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels: {{- include "sheaf.labels" . | nindent 4 }}
spec:
  # Not minAvailable: with one pod it would keep a node from being drained for good.
  maxUnavailable: 1
  # A pod that is not ready anyway does not keep a node.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "sheaf.selector" . | nindent 6 }}
{{- end }}
{{- end -}}

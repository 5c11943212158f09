{{/*
The pod of one process. Of (dict "root" $ "component" "api" "values" .Values.api "command" (list ...)), with
  "port"      where its probes answer, for a process that lasts
  "folders"   the shared folders it uses: "watch", "user_watch", "processed", "backups"
*/}}
{{- define "sheaf.pod" -}}
{{- $values := .root.Values -}}
{{- $claims := dict "backups" $values.backups.existingClaim -}}
{{- range list "watch" "user_watch" "processed" }}{{ $_ := set $claims . $values.watchFolder.existingClaim }}{{ end -}}
{{- $shared := list -}}
{{- range .folders }}{{ if get $claims . }}{{ $shared = append $shared . }}{{ end }}{{ end -}}
automountServiceAccountToken: false
# Variables such as POSTGRES_PORT that Kubernetes makes of services in the namespace have names of ours, and other values.
enableServiceLinks: false
{{- with $values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ $values.security.runAsUser | int }}
  runAsGroup: {{ $values.security.runAsUser | int }}
  fsGroup: {{ $values.security.runAsUser | int }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {{- toYaml $values.security.seccompProfile | nindent 4 }}
containers:
  - name: {{ .component }}
    image: {{ include "sheaf.image" .root }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    command: {{- toYaml .command | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
      {{- with $values.security.appArmorProfile }}
      appArmorProfile:
        type: {{ . }}
      {{- end }}
    env: {{- include "sheaf.environment" (dict "root" .root "memoryLimitMb" .values.memoryLimitMb "cpuCores" .values.cpuCores) | trim | nindent 6 }}
    # What else is a secret. The variables above take precedence.
    envFrom:
      - secretRef:
          name: {{ $values.existingSecret }}
    {{- with .port }}
    ports:
      - name: http
        containerPort: {{ . }}
    startupProbe:
      httpGet: { path: /health, port: http }
      periodSeconds: 2
      timeoutSeconds: 2
      failureThreshold: 60
    livenessProbe:
      httpGet: { path: /health, port: http }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: /ready, port: http }
      periodSeconds: 5
      timeoutSeconds: 6
      failureThreshold: 2
    {{- end }}
    {{- with .values.drainSeconds }}
    lifecycle:
      preStop:
        exec:
          command: [sleep, {{ . | int | quote }}]
    {{- end }}
    resources: {{- toYaml .values.resources | nindent 6 }}
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
      - { name: run, mountPath: /run }
      - { name: data, mountPath: /data }
      - { name: uploads, mountPath: /uploads }
      {{- range $shared }}
      {{- if eq . "backups" }}
      - { name: backups, mountPath: /backups }
      {{- else }}
      - { name: watch-folder, mountPath: /{{ . }}, subPath: {{ . }} }
      {{- end }}
      {{- end }}
      {{- with $values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: {{ $values.temporaryFiles.sizeLimit }}
  - name: run
    emptyDir:
      medium: Memory
      sizeLimit: 16Mi
  # Compiled code. Secrets come from the Secret: nothing here has to outlive the pod.
  - name: data
    emptyDir:
      sizeLimit: 1Gi
  - name: uploads
    {{- if eq $values.storage.type "local" }}
    persistentVolumeClaim:
      claimName: {{ $values.storage.local.existingClaim }}
    {{- else }}
    # What arrives, until it is in the object storage.
    emptyDir:
      sizeLimit: {{ $values.temporaryFiles.sizeLimit }}
    {{- end }}
  {{- if has "backups" $shared }}
  - name: backups
    persistentVolumeClaim:
      claimName: {{ $values.backups.existingClaim }}
  {{- end }}
  {{- if has "user_watch" $shared }}
  - name: watch-folder
    persistentVolumeClaim:
      claimName: {{ $values.watchFolder.existingClaim }}
  {{- end }}
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "razorbill.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "razorbill.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "razorbill.labels" -}}
{{ include "razorbill.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "razorbill.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "razorbill.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* What the schema cannot say: choices that depend on each other across groups. */ -}}
{{- define "razorbill.check" -}}
{{- if and .Values.s3.bucket .Values.persistence.enabled }}{{ fail "Set s3.bucket or persistence.enabled, not both: files live in one place." }}{{ end }}
{{- if not (or .Values.s3.bucket .Values.persistence.enabled) }}{{ fail "Files need a place: set s3.bucket, or persistence.enabled for a volume." }}{{ end }}
{{- if and .Values.persistence.enabled (not (has "ReadWriteMany" .Values.persistence.accessModes)) }}
{{- if or .Values.worker.enabled .Values.api.autoscaling.enabled (gt (int .Values.api.replicas) 1) }}
{{- fail "A ReadWriteOnce volume serves one pod: set api.replicas=1, worker.enabled=false and api.autoscaling.enabled=false, or use ReadWriteMany or S3." }}
{{- end }}
{{- end }}
{{- if and .Values.metrics.enabled (eq (int .Values.metrics.port) 3000) }}{{ fail "metrics.port must not be 3000: the API listens there." }}{{ end }}
{{- if lt (int .Values.terminationGracePeriodSeconds) (add .Values.preStopSeconds 15 | int) }}
{{- fail "terminationGracePeriodSeconds must be preStopSeconds and at least 15 more: closing takes up to 10 after the last request." }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) }}{{ fail "metrics.serviceMonitor.enabled needs metrics.enabled." }}{{ end }}
{{- end }}

{{- /* A value of our own Secret, or of the one that the group names. */ -}}
{{- define "razorbill.secretRef" -}}
valueFrom:
  secretKeyRef:
    {{- if .group.existingSecret }}
    name: {{ .group.existingSecret }}
    key: {{ .group.key | default .key }}
    {{- else }}
    name: {{ include "razorbill.name" .root }}
    key: {{ .key }}
    {{- end }}
{{- end }}

{{- define "razorbill.env" -}}
- { name: PORT, value: "3000" }
- { name: DATA_DIR, value: /data }
- { name: DRAIN_SECONDS, value: {{ sub .Values.terminationGracePeriodSeconds (add .Values.preStopSeconds 10) | quote }} }
- { name: LOG_LEVEL, value: {{ .Values.logLevel | quote }} }
{{- with .Values.appUrl }}
- { name: APP_URL, value: {{ . | quote }} }
{{- end }}
{{- with .Values.trustProxy }}
- { name: TRUST_PROXY, value: {{ join "," . | quote }} }
{{- end }}
{{- if .Values.metrics.enabled }}
- { name: METRICS_PORT, value: {{ .Values.metrics.port | quote }} }
{{- end }}
- name: SECRET_KEY
  {{- include "razorbill.secretRef" (dict "root" . "group" .Values.secretKey "key" "SECRET_KEY") | nindent 2 }}
- name: DATABASE_URL
  {{- include "razorbill.secretRef" (dict "root" . "group" .Values.database "key" "DATABASE_URL") | nindent 2 }}
{{- if or .Values.redis.url .Values.redis.existingSecret }}
- name: REDIS_URL
  {{- include "razorbill.secretRef" (dict "root" . "group" .Values.redis "key" "REDIS_URL") | nindent 2 }}
{{- end }}
{{- with .Values.s3 }}
{{- if .bucket }}
- { name: S3_BUCKET, value: {{ .bucket | quote }} }
- { name: S3_REGION, value: {{ .region | quote }} }
- { name: S3_DIRECT, value: {{ .direct | quote }} }
{{- with .endpoint }}
- { name: S3_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- with .publicEndpoint }}
- { name: S3_PUBLIC_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- if not (kindIs "invalid" .forcePathStyle) }}
- { name: S3_FORCE_PATH_STYLE, value: {{ .forcePathStyle | quote }} }
{{- end }}
{{- if .caConfigMap }}
- { name: S3_CA_FILE, value: /etc/razorbill/s3-ca/ca.crt }
{{- end }}
{{- if or .accessKeyId .existingSecret }}
{{- range $key := list "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY" }}
- name: {{ $key }}
  {{- include "razorbill.secretRef" (dict "root" $ "group" $.Values.s3 "key" $key) | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.admin.existingSecret }}
{{- $secret := . }}
{{- range $key := list "ADMIN_USERNAME" "ADMIN_EMAIL" "ADMIN_PASSWORD" }}
- name: {{ $key }}
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: {{ $key }} } }
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "razorbill.podSecurity" -}}
runAsNonRoot: true
{{- if not (kindIs "invalid" .Values.runAsUser) }}
runAsUser: {{ .Values.runAsUser }}
runAsGroup: 0
fsGroup: {{ .Values.runAsUser }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "razorbill.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "razorbill.mounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: data, mountPath: /data }
{{- if .Values.s3.caConfigMap }}
- { name: s3-ca, mountPath: /etc/razorbill/s3-ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "razorbill.volumes" -}}
- { name: tmp, emptyDir: {} }
- name: data
{{- if .Values.persistence.enabled }}
  persistentVolumeClaim: { claimName: {{ .Values.persistence.existingClaim | default (include "razorbill.name" .) }} }
{{- else }}
  emptyDir: {}
{{- end }}
{{- if .Values.s3.caConfigMap }}
- name: s3-ca
  configMap: { name: {{ .Values.s3.caConfigMap }} }
{{- end }}
{{- end }}

{{- define "razorbill.spread" -}}
{{- range $topology := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $topology }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "razorbill.selector" $.root | nindent 6 }}
      app.kubernetes.io/component: {{ $.component }}
{{- end }}
{{- end }}

{{/* Name of the release's objects; 50 characters leave place for their suffixes. */}}
{{- define "acp.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which objects find the pods of a component; a dict of root and component. */}}
{{- define "acp.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "acp.labels" -}}
{{ include "acp.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "acp.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* Name of the secret with the service's settings. */}}
{{- define "acp.secret" -}}
{{ required "existingSecret: name a Secret with JWT_SECRET, WEBHOOK_SECRET_KEY and DATABASE_URL" .Values.existingSecret }}
{{- end -}}

{{/* DATABASE_URL of the operator's database, as its owner. */}}
{{- define "acp.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "acp.name" . }}-postgresql-app
      key: uri
{{- end -}}

{{- define "acp.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "acp.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Environment variables from a map, sorted by name. */}}
{{- define "acp.environment" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  {{- /* a large number of a YAML file would be written with an exponent */}}
  value: {{ ternary (int64 $value) $value (kindIs "float64" $value) | toString | quote }}
{{- end }}
{{- end -}}

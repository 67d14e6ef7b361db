{{- define "acp.chart" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{/* Name of the release's objects; 50 characters leave place for their suffixes. */}}
{{- define "acp.name" -}}
{{- $chart := include "acp.chart" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $chart .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $chart | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which objects find the pods of a component; a dict of root and component. */}}
{{- define "acp.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "acp.labels" -}}
{{- $own := include "acp.selector" . | fromYaml -}}
{{- $_ := set $own "app.kubernetes.io/version" .root.Chart.AppVersion -}}
{{- $_ := set $own "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- $_ := set $own "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version) -}}
{{- toYaml (merge $own .root.Values.commonLabels) -}}
{{- end -}}

{{- define "acp.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Name of the secret with the service's settings. */}}
{{- define "acp.secret" -}}
{{ required "existingSecret: name a Secret with JWT_SECRET, WEBHOOK_SECRET_KEY and DATABASE_URL" .Values.existingSecret }}
{{- end -}}

{{/* Components that run the service. */}}
{{- define "acp.serviceComponents" -}}
{{ ternary "api worker" "api" .Values.worker.enabled }}
{{- end -}}

{{/* Values of the worker: what it leaves empty is the API's. */}}
{{- define "acp.workerValues" -}}
{{- toYaml (merge (deepCopy .Values.worker) (omit .Values.api "replicas")) -}}
{{- end -}}

{{- define "acp.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "acp.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{/* Hooks of the migration: a database of this release does not exist before its installation; the service waits until it is migrated. */}}
{{- define "acp.migrationHook" -}}
{{ ternary "post-install,pre-upgrade" "pre-install,pre-upgrade" .Values.postgresql.enabled }}
{{- end -}}

{{/* Path of an address, without a slash at its end: /agents; / where it has none */}}
{{- define "acp.path" -}}
{{- get (urlParse (. | default "")) "path" | trimSuffix "/" | default "/" }}
{{- end }}

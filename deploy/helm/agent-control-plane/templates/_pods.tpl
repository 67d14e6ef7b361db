{{/* Metadata of a pod; a dict of root, component and values. */}}
{{- define "acp.podMetadata" -}}
labels: {{- toYaml (merge (include "acp.labels" . | fromYaml) .values.podLabels) | nindent 2 }}
{{- $own := dict }}
{{- if ne .component "web" }}
{{- /* another checksum restarts the pods; without a cluster, as in `helm template`, nothing can be looked up */}}
{{- $secret := lookup "v1" "Secret" .root.Release.Namespace (include "acp.secret" .root) }}
{{- if $secret }}
{{- $_ := set $own "checksum/secret" ($secret.data | toJson | sha256sum) }}
{{- end }}
{{- end }}
{{- with merge $own .values.podAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What the pods of all components have in common, but for the containers and the volumes. */}}
{{- define "acp.podCommons" -}}
automountServiceAccountToken: false
# else Kubernetes sets variables such as WEB_PORT, which are settings here
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: {{- toYaml .root.Values.podSecurityContext | nindent 2 }}
{{- range $name := list "initContainers" "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with get $.values $name }}
{{ $name }}: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "acp.podSpread" -}}
topologySpreadConstraints:
{{- with .values.topologySpreadConstraints }}
{{- toYaml . | nindent 2 }}
{{- else }}
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "acp.selector" . | nindent 8 }}
{{- end }}
{{- end -}}

{{/* What the containers of all components have in common. */}}
{{- define "acp.containerCommons" -}}
image: {{ include "acp.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
resources: {{- toYaml .values.resources | nindent 2 }}
securityContext: {{- toYaml .root.Values.containerSecurityContext | nindent 2 }}
{{- end -}}

{{/* Environment variables from the map `variables`, sorted by name; then those that were given as a list. */}}
{{- define "acp.environment" -}}
{{- range $name, $value := .variables }}
- name: {{ $name }}
  {{- /* a large number of a YAML file would be written with an exponent */}}
  value: {{ ternary (int64 $value) $value (kindIs "float64" $value) | toString | quote }}
{{- end }}
{{- if or .root.Values.ca.configMap .root.Values.ca.secret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/control-plane/ca/{{ .root.Values.ca.key }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* DATABASE_URL of the operator's database, as its owner. */}}
{{- define "acp.databaseUrl" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "acp.name" . }}-postgresql-app
      key: uri
{{- end -}}

{{/* Volumes besides the component's own. */}}
{{- define "acp.volumes" -}}
{{- $ca := .root.Values.ca }}
{{- if and $ca.configMap $ca.secret }}
{{- fail "ca: name a ConfigMap or a Secret, not both" }}
{{- end }}
{{- if $ca.configMap }}
- { name: ca, configMap: { name: {{ $ca.configMap }} } }
{{- else if $ca.secret }}
- { name: ca, secret: { secretName: {{ $ca.secret }} } }
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "acp.volumeMounts" -}}
{{- if or .root.Values.ca.configMap .root.Values.ca.secret }}
- { name: ca, mountPath: /etc/control-plane/ca, readOnly: true }
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

import type { Settings } from '../config/settings.js';
import type { ProjectLimitKind, RetentionKind } from './project-limit.types.js';
import type { QuotaKind, QuotaScope } from './quota.types.js';

type LimitSetting = Extract<keyof Settings, `MAX_${string}`>;
type RetentionSetting = Extract<keyof Settings, `${string}_RETENTION_DAYS`>;

/** The setting of each limit by the day. 0: no limit. */
export const DAILY_SETTINGS: Readonly<Record<QuotaKind, Readonly<Record<QuotaScope, LimitSetting>>>> = {
  logs: { agent: 'MAX_LOG_BYTES_PER_AGENT', project: 'MAX_LOG_BYTES_PER_PROJECT' },
  metrics: { agent: 'MAX_METRIC_BYTES_PER_AGENT', project: 'MAX_METRIC_BYTES_PER_PROJECT' },
  spans: { agent: 'MAX_SPAN_BYTES_PER_AGENT', project: 'MAX_SPAN_BYTES_PER_PROJECT' },
  config_bytes: { agent: 'MAX_CONFIG_BYTES_PER_AGENT', project: 'MAX_CONFIG_BYTES_PER_PROJECT' },
  config_versions: { agent: 'MAX_CONFIGS_PER_AGENT', project: 'MAX_CONFIGS_PER_PROJECT' },
};

/** The setting of each retention: the most days for which a project may keep something. */
export const RETENTION_SETTINGS: Readonly<Record<RetentionKind, RetentionSetting>> = {
  log_days: 'LOG_RETENTION_DAYS',
  metric_days: 'METRIC_RETENTION_DAYS',
  span_days: 'SPAN_RETENTION_DAYS',
  run_days: 'RUN_RETENTION_DAYS',
};

/** The setting that holds for each project without a limit of its own. 0: no limit. */
export const PROJECT_LIMIT_SETTINGS: Readonly<Record<ProjectLimitKind, LimitSetting | RetentionSetting>> = {
  agents: 'MAX_AGENTS_PER_PROJECT',
  webhooks: 'MAX_WEBHOOKS_PER_PROJECT',
  schedules: 'MAX_SCHEDULES_PER_PROJECT',
  queued_runs: 'MAX_QUEUED_RUNS_PER_AGENT',
  logs: DAILY_SETTINGS.logs.project,
  metrics: DAILY_SETTINGS.metrics.project,
  spans: DAILY_SETTINGS.spans.project,
  config_bytes: DAILY_SETTINGS.config_bytes.project,
  config_versions: DAILY_SETTINGS.config_versions.project,
  ...RETENTION_SETTINGS,
};

/** The counted unit of a limit, for messages. */
export const DAILY_WORDS: Readonly<Record<QuotaKind, string>> = {
  logs: 'bytes of logs',
  metrics: 'bytes of metrics',
  spans: 'bytes of spans',
  config_bytes: 'bytes of configs',
  config_versions: 'config versions',
};

/** The setting of each limit by the minute, in bytes of logs, metrics and spans together. 0: no limit. */
export const RATE_SETTINGS: Readonly<Record<QuotaScope, LimitSetting>> = {
  agent: 'MAX_TELEMETRY_RATE_PER_AGENT',
  project: 'MAX_TELEMETRY_RATE_PER_PROJECT',
};

import type { ProjectLimitKind } from '../../api/project-limits.js';
import { amountText, scaleFor } from '../../components/metric-units.js';
import { numberText } from '../../components/amounts.js';

type Unit = 'number' | 'bytes' | 'days';

/** The name of each limit, and its unit. */
const WORDS: Readonly<Record<ProjectLimitKind, readonly [name: string, unit: Unit]>> = {
  agents: ['Agents', 'number'],
  webhooks: ['Webhooks', 'number'],
  schedules: ['Schedules', 'number'],
  queued_runs: ['Queued runs of each agent', 'number'],
  logs: ['Logs a day', 'bytes'],
  metrics: ['Metrics a day', 'bytes'],
  spans: ['Spans a day', 'bytes'],
  config_bytes: ['Configs a day', 'bytes'],
  config_versions: ['Config versions a day', 'number'],
  log_days: ['Logs are kept', 'days'],
  metric_days: ['Metrics are kept', 'days'],
  span_days: ['Spans are kept', 'days'],
  run_days: ['Ended runs are kept', 'days'],
};

export const limitName = (kind: ProjectLimitKind): string => WORDS[kind][0];

export const limitUnit = (kind: ProjectLimitKind): Unit => WORDS[kind][1];

/** An amount of a limit with its unit: `1.5 GiB`, `3 days`. */
export function limitText(kind: ProjectLimitKind, amount: number): string {
  const unit = limitUnit(kind);
  if (unit === 'days') return amount === 1 ? '1 day' : `${numberText(amount)} days`;
  if (unit === 'number') return numberText(amount);
  const { factor, symbol } = scaleFor({ unit: 'bytes', factor: 1, isCounter: false }, amount);
  return amountText(amount * factor, symbol);
}

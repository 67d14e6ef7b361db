import { randomUUID } from 'node:crypto';
import { rowsOf } from './limit-database.js';

interface Submission<Entry> {
  readonly agentId: string;
  readonly entries: readonly Entry[];
}

interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly metadata?: object;
}

interface MetricEntry {
  readonly cpu_usage: number;
  readonly memory_usage: number;
  readonly uptime_seconds: number;
}

const accepted = ({ agentId, entries }: Submission<unknown>) => ({
  status: 'ok',
  agent_id: agentId,
  accepted: entries.length,
});

export async function storeLogs(submission: Submission<LogEntry>): Promise<object> {
  const { agentId, entries } = submission;
  await rowsOf(
    'logs',
    `INSERT INTO agent_logs (agent_id, "timestamp", id, level, message, metadata)
     SELECT $1::uuid, now(), id, level, message, metadata::jsonb
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS entry (id, level, message, metadata)`,
    [
      agentId,
      entries.map(() => randomUUID()),
      entries.map(({ level }) => level),
      entries.map(({ message }) => message),
      entries.map(({ metadata }) => (metadata ? JSON.stringify(metadata) : null)),
    ],
  );
  return accepted(submission);
}

export async function storeMetrics(submission: Submission<MetricEntry>): Promise<object> {
  const { agentId, entries } = submission;
  await rowsOf(
    'metrics',
    `INSERT INTO agent_metrics (agent_id, "timestamp", id, cpu_usage, memory_usage, uptime_seconds)
     SELECT $1::uuid, now(), * FROM unnest($2::uuid[], $3::float8[], $4::float8[], $5::float8[])`,
    [
      agentId,
      entries.map(() => randomUUID()),
      entries.map((entry) => entry.cpu_usage),
      entries.map((entry) => entry.memory_usage),
      entries.map((entry) => entry.uptime_seconds),
    ],
  );
  return accepted(submission);
}

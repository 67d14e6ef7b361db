import { randomBytes, randomUUID } from 'node:crypto';
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

interface SpanEntry {
  readonly name: string;
  readonly kind: string;
  readonly startsAfterMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
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

/** Writes the same rows as the service, with their run: the index by run has no entry of a row without one. */
export async function storeSpans(
  submission: Submission<SpanEntry> & { readonly runId: string },
): Promise<object> {
  const { agentId, runId, entries } = submission;
  const [traceId, ids] = [randomBytes(16), entries.map(() => randomBytes(8))];
  const textOf = (name: string) => entries.map(({ attributes }) => attributes[name] ?? null);
  await rowsOf(
    'spans',
    `INSERT INTO agent_spans (agent_id, "timestamp", id, trace_id, span_id, parent_span_id, name, kind, status, duration_ms,
       model, provider, tool, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, attributes, run_id)
     SELECT $1::uuid, now() + starts_after * interval '1 millisecond', id, $2::bytea, span_id, parent_id, name, kind, 'unset', duration,
       model, provider, tool, input, 0, 0, output, 0, attributes::jsonb, $16::uuid
     FROM unnest($3::float8[], $4::uuid[], $5::bytea[], $6::bytea[], $7::text[], $8::text[], $9::float8[], $10::text[],
       $11::text[], $12::text[], $13::int[], $14::int[], $15::text[])
       AS entry (starts_after, id, span_id, parent_id, name, kind, duration, model, provider, tool, input, output, attributes)`,
    [
      agentId,
      traceId,
      entries.map(({ startsAfterMs }) => startsAfterMs),
      entries.map(() => randomUUID()),
      ids,
      entries.map((_, index) => (index === 0 ? null : ids[0])),
      entries.map(({ name }) => name),
      entries.map(({ kind }) => kind),
      entries.map(({ durationMs }) => durationMs),
      textOf('gen_ai.response.model'),
      textOf('gen_ai.provider.name'),
      textOf('gen_ai.tool.name'),
      textOf('gen_ai.usage.input_tokens'),
      textOf('gen_ai.usage.output_tokens'),
      entries.map(({ attributes }) => JSON.stringify(attributes)),
      runId,
    ],
  );
  return accepted(submission);
}

import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { Page } from '../database/page.js';
import { lists, rowsOfPrepared } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { isUuid } from '../http/uuid-param.js';
import { AgentSpanEntity } from './agent-span.entity.js';
import type { SubmittedSpan } from './span.types.js';

/** A span to be stored. */
export interface NewSpan extends SubmittedSpan {
  readonly id: string;
  readonly agentId: string;
  readonly configVersion: number | null;
  /** True if its end is that of its run, which is known from its spans alone. */
  readonly endsRun: boolean;
  /** Millionths of a dollar, as its emitter says. */
  readonly costMicros: number | null;
}

type ColumnOfSpan = readonly [name: string, type: string, valueOf: (span: NewSpan) => unknown];

const COLUMNS: readonly ColumnOfSpan[] = [
  ['agent_id', 'uuid', (span) => span.agentId],
  ['timestamp', 'timestamptz', (span) => span.timestamp.toISOString()],
  ['id', 'uuid', (span) => span.id],
  ['trace_id', 'text', (span) => span.traceId],
  ['span_id', 'text', (span) => span.spanId],
  ['parent_span_id', 'text', (span) => span.parentSpanId],
  ['run_id', 'uuid', (span) => span.runId],
  ['deployment_id', 'uuid', (span) => span.deploymentId],
  ['config_version', 'int', (span) => span.configVersion],
  ['name', 'text', (span) => span.name],
  ['kind', 'text', (span) => span.kind],
  ['status', 'text', (span) => span.status],
  ['error_type', 'text', (span) => span.errorType],
  ['error_message', 'text', (span) => span.errorMessage],
  ['duration_ms', 'float8', (span) => span.durationMs],
  ['model', 'text', (span) => span.model],
  ['provider', 'text', (span) => span.provider],
  ['tool', 'text', (span) => span.tool],
  ['input_tokens', 'int', (span) => span.tokens?.inputTokens ?? null],
  ['cache_read_tokens', 'int', (span) => span.tokens?.cacheReadTokens ?? null],
  ['cache_write_tokens', 'int', (span) => span.tokens?.cacheWriteTokens ?? null],
  ['output_tokens', 'int', (span) => span.tokens?.outputTokens ?? null],
  ['reasoning_tokens', 'int', (span) => span.tokens?.reasoningTokens ?? null],
  ['cost_micros', 'bigint', (span) => span.costMicros],
  ['attributes', 'text', (span) => span.attributes],
  ['events', 'text', (span) => span.events],
];

/** SQL for a column's value; the forms of arrays differ from those of the table. */
const VALUES: Readonly<Record<string, string>> = {
  attributes: 'attributes::jsonb',
  events: 'events::jsonb',
  trace_id: "decode(trace_id, 'hex')",
  span_id: "decode(span_id, 'hex')",
  parent_span_id: "decode(parent_span_id, 'hex')",
};

/** By hand: the rows of many exports with `unnest`. Spans that are there already are left alone. */
const INSERT = `INSERT INTO agent_spans (${COLUMNS.map(([name]) => `"${name}"`).join(', ')})
  SELECT ${COLUMNS.map(([name]) => VALUES[name] ?? `"${name}"`).join(', ')}
  FROM unnest(${lists(...COLUMNS.map(([, type]) => type))})
    AS given (${COLUMNS.map(([name]) => `"${name}"`).join(', ')})
  ON CONFLICT DO NOTHING RETURNING id`;

/** The columns of a list. */
const LISTED = [
  'agentId',
  'timestamp',
  'id',
  'traceId',
  'spanId',
  'parentSpanId',
  'runId',
  'deploymentId',
  'configVersion',
  'name',
  'kind',
  'status',
  'errorType',
  'errorMessage',
  'durationMs',
  'model',
  'provider',
  'tool',
  'inputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
  'costMicros',
] as const satisfies (keyof AgentSpanEntity)[];

@Injectable()
export class SpansRepository {
  /** @returns the ids of those that were not there */
  async insert(tx: Transaction, spans: readonly NewSpan[]): Promise<ReadonlySet<string>> {
    const rows = await rowsOfPrepared<{ id: string }>(
      tx,
      { name: 'insert_spans', text: INSERT },
      COLUMNS.map(([, , valueOf]) => spans.map(valueOf)),
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * The spans of a run in the order of their starts, without attributes and events.
   *
   * @param after `id` of the last span of the part before; absent: from the first
   */
  async list(
    connection: Connection,
    runId: string,
    limit: number,
    after?: string,
  ): Promise<Page<AgentSpanEntity>> {
    const query = selectRows(connection, AgentSpanEntity, 'span', LISTED)
      .where({ runId })
      .orderBy('span.timestamp')
      .addOrderBy('span.id')
      .limit(limit + 1);
    if (after) {
      // By hand: a comparison of rows.
      const last = `(SELECT last."timestamp", last.id FROM agent_spans AS last
        WHERE last.run_id = :runId AND last.id = :after LIMIT 1)`;
      query.andWhere(`(span.timestamp, span.id) > ${last}`, { runId, after });
    }
    return Page.of(await query.getRawMany<AgentSpanEntity>(), { limit });
  }

  /**
   * A span of a run with all its columns.
   *
   * @param spanId its `id`, or 16 hexadecimal digits: of several traces that have it, the first to begin
   */
  async find(connection: Connection, runId: string, spanId: string): Promise<AgentSpanEntity | null> {
    const query = selectRows(connection, AgentSpanEntity, 'span', [...LISTED, 'attributes', 'events']);
    const named = isUuid(spanId) ? { id: spanId } : { spanId: Buffer.from(spanId, 'hex') };
    query
      .where({ runId, ...named })
      .orderBy('span.timestamp')
      .addOrderBy('span.id')
      .limit(1);
    return (await query.getRawOne<AgentSpanEntity>()) ?? null;
  }
}

import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { insertSql } from '../database/insert-sql.js';
import { Page } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
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

/** Spans that are there already are left alone. */
const INSERT = `${insertSql(AgentSpanEntity)} ON CONFLICT DO NOTHING RETURNING id`;

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
    const rows = await rowsOf<{ id: string }>(tx, { name: 'insert_spans', text: INSERT }, [
      `[${spans.map(rowOf).join(',')}]`,
    ]);
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

/** A span's row as JSON text, which its attributes and events are already. */
function rowOf(span: NewSpan): string {
  const row: Partial<Record<keyof AgentSpanEntity, unknown>> = {
    agentId: span.agentId,
    timestamp: span.timestamp,
    id: span.id,
    traceId: byteaOf(span.traceId),
    spanId: byteaOf(span.spanId),
    parentSpanId: span.parentSpanId && byteaOf(span.parentSpanId),
    runId: span.runId,
    deploymentId: span.deploymentId,
    configVersion: span.configVersion,
    name: span.name,
    kind: span.kind,
    status: span.status,
    errorType: span.errorType,
    errorMessage: span.errorMessage,
    durationMs: span.durationMs,
    model: span.model,
    provider: span.provider,
    tool: span.tool,
    ...span.tokens,
    costMicros: span.costMicros,
  };
  return `${JSON.stringify(row).slice(0, -1)},"attributes":${span.attributes},"events":${span.events}}`;
}

/** Bytes as PostgreSQL reads them. */
function byteaOf(hex: string): string {
  return `\\x${hex}`;
}

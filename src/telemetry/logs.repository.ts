import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import { Transactor } from '../database/transactor.js';
import { type RowWriting, TelemetryBatchesRepository } from './telemetry-batches.repository.js';
import type {
  BatchOutcome,
  LogFilter,
  NewLog,
  StoredLog,
  TelemetryBatch,
  TelemetrySource,
} from './telemetry.types.js';

/**
 * Arrays, because the number of parameters is then always the same, and over thousands of rows they are faster than
 * one JSON document (14 ms for 1,000 against 17).
 */
const WRITING: RowWriting<NewLog> = {
  insert: `INSERT INTO agent_logs (agent_id, "timestamp", id, deployment_id, level, message, metadata)
    SELECT entry.agent_id, moment, id, coalesce(entry.deployment_id, sole.deployment_id), level, message,
      metadata::jsonb
    FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[])
      WITH ORDINALITY AS entry (agent_id, moment, id, deployment_id, level, message, metadata, place)
    LEFT JOIN sole ON sole.agent_id = entry.agent_id`,
  columnsOf: (logs) => [
    logs.map((log) => log.agentId),
    logs.map((log) => log.timestamp.toISOString()),
    logs.map((log) => log.id),
    logs.map((log) => log.deploymentId),
    logs.map((log) => log.level),
    logs.map((log) => log.message),
    logs.map((log) => log.metadata),
  ],
};

@Injectable()
export class LogsRepository {
  private readonly insertHandlers: ((agentIds: ReadonlySet<string>) => void)[] = [];

  constructor(
    private readonly transactor: Transactor,
    private readonly batches: TelemetryBatchesRepository,
  ) {}

  /** Calls back with the agents of rows that this instance has written. */
  onInserted(handler: (agentIds: ReadonlySet<string>) => void): void {
    this.insertHandlers.push(handler);
  }

  /** All of them or none. @returns what became of each batch, in order */
  async insert(batches: readonly TelemetryBatch<NewLog>[]): Promise<BatchOutcome[]> {
    const outcomes = await this.batches.write(batches, WRITING);
    const stored = batches.filter((_, index) => outcomes[index] === 'stored');
    const agentIds = new Set(stored.flatMap(({ rows }) => rows.map((log) => log.agentId)));
    for (const handler of this.insertHandlers) handler(agentIds);
    return outcomes;
  }

  /** Newest first. */
  async list(source: TelemetrySource, filter: LogFilter, request: PageRequest): Promise<Page<StoredLog>> {
    const [column, owner] =
      'agentId' in source ? ['agent_id', source.agentId] : ['deployment_id', source.deploymentId];
    // `strpos` knows no wildcards, so there is nothing to escape.
    const where = `${column} = $1
      AND ($2::timestamptz IS NULL OR "timestamp" >= $2)
      AND ($3::timestamptz IS NULL OR "timestamp" < $3)
      AND ($4::text IS NULL OR level = $4)
      AND ($5::text IS NULL OR strpos(lower(message), lower($5)) > 0)`;
    const parameters = [owner, filter.since, filter.until, filter.level, filter.text];
    const rows = await rowsOf<StoredLog>(
      this.transactor.reader,
      `SELECT id, agent_id, deployment_id, "timestamp", level, message, metadata FROM agent_logs WHERE ${where}
       ORDER BY "timestamp" DESC, id DESC LIMIT $6 OFFSET $7`,
      [...parameters, request.limit + 1, request.skip],
    );
    if (!request.includeTotal) return Page.of(rows, request);
    const [counted] = await rowsOf<{ total: number }>(
      this.transactor.reader,
      `SELECT count(*)::int AS total FROM agent_logs WHERE ${where}`,
      parameters,
    );
    return Page.of(rows, request, counted?.total);
  }
}

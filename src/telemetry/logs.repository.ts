import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../database/page.js';
import { readSqlPage } from '../database/read-sql-page.js';
import type { Connection } from '../database/transaction.js';
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

  constructor(private readonly batches: TelemetryBatchesRepository) {}

  /** Calls back with the agents of rows that this instance has committed. */
  onInserted(handler: (agentIds: ReadonlySet<string>) => void): void {
    this.insertHandlers.push(handler);
  }

  /**
   * All of them or none, in one statement.
   *
   * @param connection no transaction is open on it: the handlers are called when this statement has been committed
   * @returns what became of each batch, in order
   */
  async insert(connection: Connection, batches: readonly TelemetryBatch<NewLog>[]): Promise<BatchOutcome[]> {
    const outcomes = await this.batches.write(connection, batches, WRITING);
    const stored = batches.filter((_, index) => outcomes[index] === 'stored');
    const agentIds = new Set(stored.flatMap(({ rows }) => rows.map((log) => log.agentId)));
    for (const handler of this.insertHandlers) handler(agentIds);
    return outcomes;
  }

  /** Newest first. */
  list(
    connection: Connection,
    source: TelemetrySource,
    filter: LogFilter,
    request: PageRequest,
  ): Promise<Page<StoredLog>> {
    const [column, owner] =
      'agentId' in source ? ['agent_id', source.agentId] : ['deployment_id', source.deploymentId];
    const list = {
      columns: 'id, agent_id, deployment_id, "timestamp", level, message, metadata',
      from: 'agent_logs',
      // `strpos` knows no wildcards, so there is nothing to escape.
      where: `${column} = $1
        AND ($2::timestamptz IS NULL OR "timestamp" >= $2)
        AND ($3::timestamptz IS NULL OR "timestamp" < $3)
        AND ($4::text IS NULL OR level = $4)
        AND ($5::text IS NULL OR strpos(lower(message), lower($5)) > 0)`,
      orderBy: '"timestamp" DESC, id DESC',
      parameters: [owner, filter.since, filter.until, filter.level, filter.text],
      bytes: 'octet_length(message) + coalesce(octet_length(metadata::text), 0)',
    };
    return readSqlPage<StoredLog>(connection, list, request);
  }
}

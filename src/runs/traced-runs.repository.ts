import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { RunEntity } from './run.entity.js';
import { OPEN, selectRuns } from './runs.repository.js';

const COLUMNS = ['id', 'traceId', 'deploymentId', 'configVersion', 'source', 'status'] as const;
export type KnownRun = Pick<RunEntity, (typeof COLUMNS)[number]>;

/** A run of a thousand exports is noted once a minute; seconds. */
const NOTED_SECONDS = 60;

const FIND = new PreparedQuery('find_traced_runs', ['agentId', 'ids', 'traceIds'], (connection) =>
  selectRows(connection, RunEntity, 'run', COLUMNS)
    .where('run.agentId = :agentId')
    .andWhere(`(run.id = ANY (${idList('ids')}) OR run.traceId = ANY ((SELECT :traceIds::text[])::text[]))`)
    .orderBy('run.id', 'DESC'),
);

/** Reads and writes the runs to which traces belong. */
@Injectable()
export class TracedRunsRepository {
  /** The agent's runs among these ids and of these traces, the newest first. */
  find(
    connection: Connection,
    agentId: string,
    ids: readonly string[],
    traceIds: readonly string[],
  ): Promise<KnownRun[]> {
    return FIND.rows<KnownRun>(connection, { agentId, ids, traceIds });
  }

  /** Notes that spans of these runs have arrived, at most once a minute. */
  async noteSeen(connection: Connection, ids: readonly string[]): Promise<void> {
    await connection
      .createQueryBuilder()
      .update(RunEntity)
      .set({ lastSeenAt: () => 'now()' })
      .where(`id = ANY (:ids) AND source = 'trace' AND status IN (${OPEN})`, { ids })
      .andWhere('last_seen_at < now() - make_interval(secs => :seconds)', { seconds: NOTED_SECONDS })
      .execute();
  }

  /** Locks the open ones of these runs that are known from their spans alone. */
  lockOpen(tx: Transaction, agentId: string, ids: readonly string[]): Promise<RunEntity[]> {
    return selectRuns(tx)
      .where({ agentId, source: 'trace' })
      .andWhere(`run.id = ANY (:ids) AND run.status IN (${OPEN})`, { ids })
      .orderBy('run.id')
      .setLock('for_no_key_update')
      .getRawMany<RunEntity>();
  }
}

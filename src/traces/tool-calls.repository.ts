import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { selectRows } from '../database/entity-rows.js';
import { lists, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ToolCallEntity } from './tool-call.entity.js';

/** Number of the same calls within a run that are a loop. The partial index has it, too. */
export const CALLS_OF_A_LOOP = 10;
/** Maximum number of different calls of a run that are counted: past it, those that were last made the longest time ago are forgotten. */
const DIFFERENT_CALLS = 1_000;
/** Number of those that are kept then, so that not each further call has to remove one. */
const CALLS_KEPT = 750;
/** Days after its last call for which a call is counted on. */
const COUNTED_DAYS = 1;

/** A call of a tool whose arguments and result are known. */
export interface ToolCall {
  readonly agentId: string;
  readonly runId: string;
  readonly fingerprint: Buffer;
  readonly tool: string | null;
}

/** A run that may be in a loop. */
export interface LoopingRun {
  readonly runId: string;
  readonly agentId: string;
}

/** The same call, so often that it is a loop. */
export type Loop = Pick<ToolCallEntity, 'fingerprint' | 'tool' | 'calls'>;

const IS_LOOP = `told_at IS NULL AND calls >= ${CALLS_OF_A_LOOP}`;

/**
 * By hand: `unnest` and an upsert, in the order of the key, so that two groups wait for each other without a deadlock. A run that is
 * removed meanwhile has no calls.
 */
const COUNT = `WITH counted AS (
    INSERT INTO run_tool_calls AS known (run_id, fingerprint, tool, calls)
    SELECT run_id, fingerprint, max(tool), count(*) FROM unnest(${lists('uuid', 'bytea', 'text')})
      AS given (run_id, fingerprint, tool)
    JOIN (SELECT id FROM runs WHERE id = ANY ((SELECT $1::uuid[])::uuid[]) FOR KEY SHARE) AS run ON run.id = run_id
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (run_id, fingerprint) DO UPDATE
      SET calls = known.calls + excluded.calls, last_called_at = excluded.last_called_at
    RETURNING run_id, told_at, calls, xmax = 0 AS is_new
  )
  SELECT run_id AS "runId", bool_or(${IS_LOOP}) AS "isLooping",
    count(*) FILTER (WHERE is_new) + (SELECT count(*) FROM run_tool_calls AS known WHERE known.run_id = counted.run_id)
      > ${DIFFERENT_CALLS} AS "isFull"
  FROM counted GROUP BY run_id`;

/** Counts the calls of tools of each run. */
@Injectable()
export class ToolCallsRepository {
  /** Counts calls up. @returns the ids of the runs that are in a loop without a report */
  async count(tx: Transaction, calls: readonly ToolCall[]): Promise<string[]> {
    if (calls.length === 0) return [];
    const runs = await rowsOf<{ runId: string; isLooping: boolean; isFull: boolean }>(
      tx,
      { name: 'count_tool_calls', text: COUNT },
      [
        calls.map(({ runId }) => runId),
        calls.map(({ fingerprint }) => fingerprint),
        calls.map(({ tool }) => tool),
      ],
    );
    const full = runs.filter(({ isFull }) => isFull);
    if (full.length > 0)
      await this.forgetOldest(
        tx,
        full.map(({ runId }) => runId),
      );
    return runs.filter(({ isLooping }) => isLooping).map(({ runId }) => runId);
  }

  /** By hand: a rank within each run. */
  private async forgetOldest(tx: Transaction, runIds: readonly string[]): Promise<void> {
    await rowsOf(
      tx,
      `DELETE FROM run_tool_calls AS old USING (
         SELECT run_id, fingerprint, row_number() OVER (
           PARTITION BY run_id ORDER BY told_at IS NULL, last_called_at DESC, calls DESC, fingerprint) AS place
         FROM run_tool_calls WHERE run_id = ANY ($1::uuid[])
       ) AS ranked
       WHERE (old.run_id, old.fingerprint) = (ranked.run_id, ranked.fingerprint) AND ranked.place > ${CALLS_KEPT}`,
      [runIds],
    );
  }

  /** The loops of a run without a report. The transaction has locked the run. */
  listLoops(tx: Transaction, runId: string): Promise<Loop[]> {
    return selectRows(tx, ToolCallEntity, 'call', ['fingerprint', 'tool', 'calls'])
      .where({ runId })
      .andWhere(IS_LOOP)
      .orderBy('call.lastCalledAt')
      .addOrderBy('call.fingerprint')
      .getRawMany<Loop>();
  }

  async countTold(tx: Transaction, runId: string): Promise<number> {
    return tx
      .createQueryBuilder(ToolCallEntity, 'call')
      .where({ runId })
      .andWhere('told_at IS NOT NULL')
      .getCount();
  }

  async markTold(tx: Transaction, runId: string, fingerprints: readonly Buffer[]): Promise<void> {
    await tx
      .createQueryBuilder()
      .update(ToolCallEntity)
      .set({ toldAt: () => 'now()' })
      .where({ runId })
      .andWhere('fingerprint = ANY (:fingerprints)', { fingerprints })
      .execute();
  }

  /**
   * Runs with loops without a report, because the instance that counted them ended. By hand: a table of a feature
   * below.
   */
  listLoopingRuns(connection: Connection, limit: number): Promise<LoopingRun[]> {
    return rowsOf<LoopingRun>(
      connection,
      `SELECT run.id AS "runId", run.agent_id AS "agentId"
       FROM (SELECT DISTINCT run_id FROM run_tool_calls WHERE ${IS_LOOP} LIMIT $1) AS looping
       JOIN runs AS run ON run.id = looping.run_id`,
      [limit],
    );
  }

  /**
   * Forgets calls that were not made again for a day. Calls that were reported as a loop stay with their run, and
   * are reported once.
   */
  deleteSilent(connection: Connection, limit: number): Promise<number> {
    const expiry = { since: 'old.lastCalledAt', days: COUNTED_DAYS, where: 'told_at IS NULL' };
    return deleteOld(connection, ToolCallEntity, expiry, limit);
  }
}

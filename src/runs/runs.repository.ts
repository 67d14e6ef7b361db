import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { NIL } from 'uuid';
import { deleteFound, deleteOld } from '../database/deleted-rows.js';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { databaseTime } from '../database/clock.js';
import { lists, type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { uuidFloor } from '../database/uuid-times.js';
import { HELD_STATUSES, OPEN_STATUSES } from '../lifecycle/run-lifecycle.js';
import { RunEntity } from './run.entity.js';
import { USAGE_BUCKETS } from './usage.types.js';

/** SQL for the name of an agent. By hand: the table belongs to a feature below. @param agentId SQL for its id */
export const agentName = (agentId: string) =>
  `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${agentId})`;
/**
 * SQL for what a run used, in the order of `USAGE_BUCKETS`; null: nothing was reported. By hand: the table belongs to a feature above,
 * which counts it up. Bigints in an array would be texts.
 */
export const usageOf = (
  runId: string,
) => `(SELECT ARRAY[${USAGE_BUCKETS.map((bucket) => `sum(${bucket})::float8`).join(', ')}]
  FROM run_usage WHERE run_id = ${runId} HAVING count(*) > 0)`;
/**
 * SQL condition for an agent that is not being removed: its data is purged in the background. By hand: the table
 * belongs to a feature below. A value and no EXISTS, for which PostgreSQL may read all agents instead of those of a
 * page.
 *
 * @param agentId SQL for its id
 */
export const isPresent = (agentId: string) =>
  `(SELECT agent.status <> 'deleting' FROM agents AS agent WHERE agent.id = ${agentId})`;
/** Constants, not parameters: PostgreSQL then uses the partial indexes. */
export const HELD = HELD_STATUSES.map((status) => `'${status}'`).join(', ');
export const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');
/** SQL condition for a run that a runtime has and says so. One that is known from its spans alone is named by no heartbeat. */
export const IS_LEASED = (run: string) => `${run}.status IN (${HELD}) AND ${run}.source <> 'trace'`;

/**
 * SQL condition that a run waits for no other one of its schedule: it need not, or no other is under way or was queued
 * before it. By hand: a comparison of rows.
 *
 * @param run alias of the table, whose columns are named as in the database
 */
export const IS_FIRST_OF_SCHEDULE = (run: string) => `(NOT ${run}.is_serial OR NOT EXISTS (
  SELECT FROM runs AS other WHERE other.schedule_id = ${run}.schedule_id AND other.id <> ${run}.id
    AND other.status IN (${OPEN})
    AND (other.status <> 'queued' OR (other.queued_at, other.id) < (${run}.queued_at, ${run}.id))))`;

const DAY_MS = 86_400_000;
/** Columns of a run that the monitor judges. */
const LISTED = ['id', 'agentId', 'lastSequence'] as const;
type ListedRun = Pick<RunEntity, (typeof LISTED)[number]>;

const LOCK = new PreparedQuery('lock_run', ['id', 'agentId'], (connection) =>
  selectRuns(connection).where('run.id = :id AND run.agentId = :agentId').setLock('for_no_key_update'),
);
const FIND_WITHIN = new PreparedQuery('find_owned_run', ['id', 'projectIds'], (connection) =>
  selectRuns(connection)
    .where(`run.id = :id AND run.projectId = ANY (${idList('projectIds')})`)
    .andWhere(isPresent('run.agentId')),
);
/** The runs that a claim has taken before; only where there are none, those to give to it. */
const LOCK_CLAIMED = new PreparedQuery(
  'lock_claimed_runs',
  ['agentId', 'claimKey', 'limit'],
  (connection) => {
    const taken = selectRuns(connection)
      .where(`run.agentId = :agentId AND run.claimKey = :claimKey AND ${IS_LEASED('run')}`)
      .setLock('for_no_key_update')
      .getQuery();
    const due = selectRuns(connection)
      .where(`run.agentId = :agentId AND run.status = 'queued' AND run.availableAt <= now()`)
      .andWhere('(run.expiresAt IS NULL OR run.expiresAt > now())')
      .andWhere(IS_FIRST_OF_SCHEDULE('run'))
      .orderBy('run.priority', 'DESC')
      .addOrderBy('run.queuedAt')
      .addOrderBy('run.id')
      .getQuery();
    return {
      getQuery: () => `WITH taken AS (${taken}), due AS (${due} LIMIT :limit FOR NO KEY UPDATE)
        SELECT * FROM taken UNION ALL SELECT * FROM due WHERE NOT EXISTS (SELECT FROM taken)
        ORDER BY priority DESC, "queuedAt", id`,
    };
  },
);
const LOCK_MENTIONED = new PreparedQuery('lock_mentioned_runs', ['agentId', 'ids', 'runKeys'], (connection) =>
  selectRuns(connection)
    .where('run.agentId = :agentId')
    .andWhere(`(run.id = ANY (${idList('ids')}) OR run.runKey = ANY ((SELECT :runKeys::text[])::text[]))`)
    .orderBy('run.id')
    .setLock('for_no_key_update'),
);
const LOCK_HELD = new PreparedQuery('lock_held_runs', ['agentIds'], (connection) =>
  selectRuns(connection)
    .where(`run.agentId = ANY (${idList('agentIds')}) AND ${IS_LEASED('run')}`)
    .orderBy('run.id')
    .setLock('for_no_key_update'),
);

/**
 * By hand: limits of projects belong to a feature below, and each count ends at the highest limit. LIMIT may not depend on the agent, so
 * it is not the agent's own.
 */
const ROOM_IN_QUEUES: PreparedStatement = {
  name: 'room_in_run_queues',
  text: `WITH own AS MATERIALIZED (
    SELECT project_id, maximum::int AS maximum FROM project_limits
    WHERE project_id = ANY ($2::uuid[]) AND kind = 'queued_runs' AND maximum IS NOT NULL)
  SELECT agent.id, greatest(0, coalesce(own.maximum, $3::int) - queued.count) AS room
  FROM unnest(${lists('uuid', 'uuid')}) AS agent(id, project_id)
  LEFT JOIN own ON own.project_id = agent.project_id
  CROSS JOIN LATERAL (SELECT count(*)::int AS count FROM (
    SELECT FROM runs AS run WHERE run.agent_id = agent.id AND run.status = 'queued'
    LIMIT greatest($3::int, (SELECT max(maximum) FROM own))) AS first) AS queued`,
};

/** Reads the rows of runs, and deletes them; `WrittenRunsRepository` writes them. */
@Injectable()
export class RunsRepository {
  async findWithin(
    connection: Connection,
    projectIds: readonly string[],
    id: string,
  ): Promise<RunEntity | null> {
    const [row] = await FIND_WITHIN.rows<RunEntity>(connection, { id, projectIds });
    return row ?? null;
  }

  /** Finds a run of any project. */
  async find(connection: Connection, id: string): Promise<RunEntity | null> {
    const row = await selectRuns(connection)
      .where({ id })
      .andWhere(isPresent('run.agentId'))
      .getRawOne<RunEntity>();
    return row ?? null;
  }

  async lock(tx: Transaction, agentId: string, id: string): Promise<RunEntity | null> {
    const [row] = await LOCK.rows<RunEntity>(tx, { id, agentId });
    return row ?? null;
  }

  /** Locks the agent's runs among these ids and words of its own. */
  lockMentioned(
    tx: Transaction,
    agentId: string,
    ids: readonly string[],
    runKeys: readonly string[],
  ): Promise<RunEntity[]> {
    return LOCK_MENTIONED.rows<RunEntity>(tx, { agentId, ids, runKeys });
  }

  /** Locks the runs that the runtimes of these agents have. */
  lockHeld(tx: Transaction, agentIds: readonly string[]): Promise<RunEntity[]> {
    return LOCK_HELD.rows<RunEntity>(tx, { agentIds });
  }

  /**
   * Locks the runs that a claim of this key has taken before. Where there are none, it locks those that are to be given to the agent
   * now, the first ones of its queue, in their order.
   */
  lockClaimed(
    tx: Transaction,
    agentId: string,
    claimKey: Buffer | null,
    limit: number,
  ): Promise<RunEntity[]> {
    return LOCK_CLAIMED.rows<RunEntity>(tx, { agentId, claimKey, limit });
  }

  /**
   * How many more runs may be queued for each agent.
   *
   * @param maximum holds where the agent's project has no limit of its own
   */
  async roomInQueues(
    tx: Transaction,
    agents: readonly Pick<RunEntity, 'id' | 'projectId'>[],
    maximum: number,
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf<{ id: string; room: number }>(tx, ROOM_IN_QUEUES, [
      agents.map(({ id }) => id),
      agents.map(({ projectId }) => projectId),
      maximum,
    ]);
    return new Map(rows.map(({ id, room }) => [id, room]));
  }

  /** Runs whose time is over by the database's clock. */
  listOverdue(connection: Connection, limit: number): Promise<ListedRun[]> {
    return selectRows(connection, RunEntity, 'run', LISTED)
      .where(`run.status IN (${HELD}) AND run.timeoutAt <= now()`)
      .orderBy('run.timeoutAt')
      .limit(limit)
      .getRawMany();
  }

  /** Runs that were not begun before their latest start. */
  listExpired(connection: Connection, limit: number): Promise<ListedRun[]> {
    return selectRows(connection, RunEntity, 'run', LISTED)
      .where("run.status = 'queued' AND run.expiresAt <= now()")
      .orderBy('run.expiresAt')
      .limit(limit)
      .getRawMany();
  }

  /** Runs that a runtime has although their deployment ended longer ago than this. */
  listOrphaned(connection: Connection, seconds: number, limit: number): Promise<ListedRun[]> {
    return (
      selectRows(connection, RunEntity, 'run', LISTED)
        .where(`run.status IN (${HELD})`)
        // By hand: the table belongs to a feature below.
        .andWhere(
          `EXISTS (SELECT FROM deployments AS deployment
            WHERE deployment.id = run.deploymentId AND deployment.ended_at < now() - make_interval(secs => :seconds))`,
          { seconds },
        )
        .limit(limit)
        .getRawMany()
    );
  }

  /** Runs that are known from their spans alone, of which none has arrived for this long. */
  listSilent(connection: Connection, seconds: number, limit: number): Promise<ListedRun[]> {
    return selectRows(connection, RunEntity, 'run', LISTED)
      .where(`run.source = 'trace' AND run.status IN (${HELD})`)
      .andWhere('run.lastSeenAt < now() - make_interval(secs => :seconds)', { seconds })
      .limit(limit)
      .getRawMany();
  }

  async moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    await tx.getRepository(RunEntity).update({ agentId }, { projectId });
  }

  /** @returns the number of deleted runs, at most `limit` */
  deleteEnded(connection: Connection, days: number, limit: number): Promise<number> {
    const where = 'old.endedAt IS NOT NULL';
    return deleteOld(connection, RunEntity, { since: 'old.endedAt', days, where }, limit);
  }

  /**
   * Deletes ended runs of a project that are older than its days, at most `limit`. An old run has an old id, so those that were queued
   * later are not read. By hand: the last one that was found.
   *
   * @param after the id of the last one that was deleted before; undefined: none was
   * @returns the id of the last one; undefined: no more are left
   */
  async deleteEndedOf(
    connection: Connection,
    { projectId, days }: { readonly projectId: string; readonly days: number },
    after: string | undefined,
    limit: number,
  ): Promise<string | undefined> {
    const now = Date.parse(await databaseTime(connection));
    const floor = uuidFloor(new Date(now - days * DAY_MS));
    const [found] = await rowsOf<{ count: number; last: string | null }>(
      connection,
      `WITH found AS MATERIALIZED (
         SELECT id FROM runs
         WHERE project_id = $1 AND id > $2 AND id < $3 AND ended_at < now() - make_interval(days => $4)
         ORDER BY id LIMIT $5 FOR UPDATE SKIP LOCKED),
       deleted AS (DELETE FROM runs WHERE id = ANY (ARRAY(SELECT id FROM found)))
       SELECT count(*)::int AS count, (SELECT id FROM found ORDER BY id DESC LIMIT 1) AS last FROM found`,
      [projectId, after ?? NIL, floor, days, limit],
    );
    return found!.count === limit ? found!.last! : undefined;
  }

  /** Deletes runs of an agent that is being removed. @returns their number, at most `limit` */
  deleteOf(connection: Connection, agentId: string, limit: number): Promise<number> {
    const some = connection.createQueryBuilder(RunEntity, 'run').where({ agentId }).limit(limit);
    return deleteFound(connection, some);
  }
}

/** A query for runs as the driver returns them, each with the name of its agent and its usage. */
export function selectRuns(connection: Connection): SelectQueryBuilder<RunEntity> {
  return selectRows(connection, RunEntity, 'run')
    .addSelect(agentName('run.agentId'), 'agentName')
    .addSelect(usageOf('run.id'), 'usage');
}

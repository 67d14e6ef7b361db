import { Injectable } from '@nestjs/common';
import { In, type InsertQueryBuilder, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { deleteOld } from '../database/deleted-rows.js';
import { columnsOf, returnedRows, selectRows } from '../database/entity-rows.js';
import { idList } from '../database/prepared-query.js';
import { lists, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { ApprovalEntity } from './approval.entity.js';
import { MAXIMUM_HOURLY, MAXIMUM_LISTED } from './approval.types.js';

/** SQL for the name of an agent. By hand: the table belongs to a feature below. @param agentId SQL for its id */
const agentName = (agentId: string) => `(SELECT agent.name FROM agents AS agent WHERE agent.id = ${agentId})`;
const RETURNED = `${columnsOf(ApprovalEntity)}, ${agentName('agent_id')} AS "agentName"`;
/** A condition by constants, not parameters: PostgreSQL then uses the partial index. */
const PENDING = "approval.state = 'pending'";
/** An agent that is not being removed. By hand: the table belongs to a feature below. */
export const IS_PRESENT = `(SELECT agent.status <> 'deleting' FROM agents AS agent WHERE agent.id = approval.agentId)`;

/** The values of an approval's columns after a step. */
export type ApprovalChange = {
  readonly [Property in keyof ApprovalEntity]?: ApprovalEntity[Property] | (() => string);
};
/** TypeORM's type of values knows no column of any JSON. */
type Values = QueryDeepPartialEntity<ApprovalEntity>;

/** An approval, and how long it can still be decided. */
export type TimedApproval = ApprovalEntity & {
  /** Milliseconds until it expires, by the database's clock; not positive: its time is over. */
  readonly leftMs: number;
};

/** The newest open questions of each agent. By hand: TypeORM has no LATERAL. */
const LIST_OPEN = `SELECT approval.* FROM unnest(${lists('uuid')}) AS asking(id) CROSS JOIN LATERAL (
    SELECT ${RETURNED} FROM approvals WHERE agent_id = asking.id AND fetched_at IS NULL AND state <> 'withdrawn'
    ORDER BY id DESC LIMIT ${MAXIMUM_LISTED}) AS approval
  ORDER BY approval.id`;

/** Reads and writes the rows of approvals. A transaction has locked the agent's row before it writes one. */
@Injectable()
export class ApprovalsRepository {
  async insert(tx: Transaction, approval: ApprovalChange): Promise<ApprovalEntity> {
    const insert = tx
      .createQueryBuilder()
      .insert()
      .into(ApprovalEntity)
      .values(approval as Values);
    const [row] = await insertedRows(tx, insert);
    return row!;
  }

  async update(tx: Transaction, id: string, change: ApprovalChange): Promise<ApprovalEntity> {
    const update = tx
      .createQueryBuilder()
      .update(ApprovalEntity)
      .set(change as Values)
      .where({ id });
    const [row] = await returnedRows<ApprovalEntity>(update.returning(RETURNED));
    return row!;
  }

  /** For people: the approvals of an agent that is being removed are gone. @param projectIds null: those of everybody */
  async find(
    connection: Connection,
    projectIds: readonly string[] | null,
    id: string,
  ): Promise<ApprovalEntity | null> {
    const query = selectApprovals(connection).where({ id }).andWhere(IS_PRESENT);
    if (projectIds) query.andWhere(`approval.projectId = ANY (${idList('projectIds')})`, { projectIds });
    return (await query.getRawOne<ApprovalEntity>()) ?? null;
  }

  async findOfAgent(connection: Connection, agentId: string, id: string): Promise<TimedApproval | null> {
    return (await selectTimed(connection).where({ id, agentId }).getRawOne<TimedApproval>()) ?? null;
  }

  async findByKey(tx: Transaction, agentId: string, approvalKey: string): Promise<ApprovalEntity | null> {
    return (await selectApprovals(tx).where({ agentId, approvalKey }).getRawOne<ApprovalEntity>()) ?? null;
  }

  async lock(tx: Transaction, agentId: string, id: string): Promise<TimedApproval | null> {
    const query = selectTimed(tx).where({ id, agentId }).setLock('for_no_key_update');
    return (await query.getRawOne<TimedApproval>()) ?? null;
  }

  /** Locks the open questions of these runs. */
  lockPendingOfRuns(tx: Transaction, runIds: readonly string[]): Promise<ApprovalEntity[]> {
    return lockPending(selectApprovals(tx).where({ runId: In([...runIds]) }));
  }

  lockPendingOfAgent(tx: Transaction, agentId: string): Promise<ApprovalEntity[]> {
    return lockPending(selectApprovals(tx).where({ agentId }));
  }

  countPending(tx: Transaction, agentId: string): Promise<number> {
    return selectApprovals(tx).where({ agentId }).andWhere(PENDING).getCount();
  }

  /** Returns true if an agent has asked {@link MAXIMUM_HOURLY} questions within an hour, by the database's clock. */
  async hasAskedTooMuch(tx: Transaction, agentId: string): Promise<boolean> {
    const recent = await selectRows(tx, ApprovalEntity, 'approval', ['id'])
      .where({ agentId })
      .andWhere("approval.requestedAt > now() - interval '1 hour'")
      .limit(MAXIMUM_HOURLY)
      .getRawMany();
    return recent.length >= MAXIMUM_HOURLY;
  }

  async isAsking(tx: Transaction, runId: string): Promise<boolean> {
    return selectApprovals(tx).where({ runId }).andWhere(PENDING).getExists();
  }

  /** Approvals that agents may still fetch or wait for, oldest first, the newest {@link MAXIMUM_LISTED} of each. */
  listOpen(connection: Connection, agentIds: readonly string[]): Promise<ApprovalEntity[]> {
    return rowsOf<ApprovalEntity>(connection, LIST_OPEN, [agentIds]);
  }

  /** Approvals whose time is over. */
  listOverdue(connection: Connection, limit: number): Promise<Pick<ApprovalEntity, 'id' | 'agentId'>[]> {
    return selectRows(connection, ApprovalEntity, 'approval', ['id', 'agentId'])
      .where(PENDING)
      .andWhere('approval.expiresAt <= now()')
      .orderBy('approval.expiresAt')
      .limit(limit)
      .getRawMany<Pick<ApprovalEntity, 'id' | 'agentId'>>();
  }

  /** Gives the approvals of an agent to another project. There nobody has approved one yet, nor proposed other arguments. */
  async moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    const approvals = tx.getRepository(ApprovalEntity);
    await approvals.update({ agentId }, { projectId });
    const undone = { firstApprovedBy: null, editedArgs: () => 'NULL', reason: null };
    await approvals.update({ agentId, state: 'pending', firstApprovedBy: Not(IsNull()) }, undone);
  }

  /** The number of those that nobody has decided, and for how long the oldest has waited. */
  async backlog(connection: Connection): Promise<{ readonly count: number; readonly oldestSeconds: number }> {
    const row = await connection
      .createQueryBuilder(ApprovalEntity, 'approval')
      .select('count(*)::int', 'count')
      .addSelect(
        'coalesce(extract(epoch FROM now() - min(approval.requestedAt)), 0)::float8',
        'oldestSeconds',
      )
      .where(PENDING)
      .getRawOne<{ count: number; oldestSeconds: number }>();
    return row!;
  }

  /** @returns the number of deleted approvals, at most `limit` */
  deleteDecided(connection: Connection, days: number, limit: number): Promise<number> {
    const where = 'old.decidedAt IS NOT NULL';
    return deleteOld(connection, ApprovalEntity, { since: 'old.decidedAt', days, where }, limit);
  }
}

export function selectApprovals(connection: Connection): SelectQueryBuilder<ApprovalEntity> {
  return selectRows(connection, ApprovalEntity, 'approval').addSelect(
    agentName('approval.agentId'),
    'agentName',
  );
}

function selectTimed(connection: Connection): SelectQueryBuilder<ApprovalEntity> {
  return selectApprovals(connection).addSelect(
    '(extract(epoch FROM approval.expiresAt - now()) * 1000)::float8',
    'leftMs',
  );
}

function lockPending(query: SelectQueryBuilder<ApprovalEntity>): Promise<ApprovalEntity[]> {
  return query
    .andWhere(PENDING)
    .orderBy('approval.id')
    .setLock('for_no_key_update')
    .getRawMany<ApprovalEntity>();
}

/**
 * Runs an INSERT, and returns the approval as the table shows it. A selection with subqueries is none for `RETURNING`: decision
 * 0103.
 */
function insertedRows(
  tx: Transaction,
  insert: InsertQueryBuilder<ApprovalEntity>,
): Promise<ApprovalEntity[]> {
  const [text, parameters] = insert.returning('*').getQueryAndParameters();
  return rowsOf<ApprovalEntity>(
    tx,
    `WITH approvals AS (${text}) SELECT ${RETURNED} FROM approvals`,
    parameters,
  );
}

import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThanOrEqual, type SelectQueryBuilder } from 'typeorm';
import { deleteOld } from '../database/deleted-rows.js';
import { withClock } from '../database/clock.js';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { type Place, readNewest, sentBytes } from '../database/read-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { CommandEntity } from './command.entity.js';
import type {
  CommandBacklog,
  CommandRecord,
  CommandReply,
  CommandState,
  LeasedCommand,
  QueueState,
} from './command.types.js';
import type { WaitingCommand } from './waiting-command.types.js';
import {
  COUNT_WAITING,
  FIND_FOR_AGENT,
  keyOfConfig,
  LEASE_COMMANDS,
  MAXIMUM_ATTEMPTS,
  QUEUE_STATES,
} from './queue-statements.repository.js';

/** Columns of a command as the API returns it. */
const SHOWN = [
  'id',
  'agentId',
  'deploymentId',
  'generation',
  'action',
  'state',
  'attempts',
  'result',
  'error',
  'createdAt',
  'leasedAt',
  'leasedUntil',
  'acknowledgedAt',
  'settledAt',
] as const;
/** SQL for the name of a command's agent. By hand: the table belongs to a feature above. */
const AGENT_NAME = '(SELECT agent.name FROM agents AS agent WHERE agent.id = command.agentId)';
/** SQL for the time since which a command has waited for an agent that is online. By hand: as above. */
const WAITS_ONLINE_SINCE = `(SELECT greatest(command.createdAt, presence.online_since) FROM agent_presence AS presence
  WHERE presence.agent_id = command.agentId AND presence.online_since IS NOT NULL AND presence.online_until > now())`;

/** The commands of a deployment are in the order of their numbers. Those after one that retention has deleted are deleted, too. */
const BY_SEQUENCE: Place<CommandRecord> = {
  column: 'command.sequence',
  isAfter: 'command.sequence < (SELECT sequence FROM commands WHERE id = :before)',
  valueOf: ({ id }) => id,
};

@Injectable()
export class CommandsRepository {
  async countWaiting(tx: Transaction, agentId: string): Promise<number> {
    const [row] = await COUNT_WAITING.rows<{ waiting: number }>(tx, { agentId });
    return row!.waiting;
  }

  /**
   * Leases the first waiting command of each of the agent's deployments. Two concurrent polls
   * get different commands or none: by `SKIP LOCKED`, or by the repeated condition if one runs second. By hand:
   * SKIP LOCKED, the first of each deployment, and its config from the tables of features above, in one statement.
   *
   * @param knownKeys ids of the keys that open configs; a command whose config they don't open is left in the queue
   */
  async lease(
    connection: Connection,
    agentId: string,
    limit: number,
    leaseSeconds: number,
    knownKeys: readonly string[],
  ): Promise<LeasedCommand[]> {
    const rows = await rowsOf<LeasedCommand>(connection, LEASE_COMMANDS, [
      agentId,
      limit,
      leaseSeconds,
      knownKeys,
    ]);
    return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Reads any number of agents in one statement. @returns the state of each one's queue */
  async queueStates(connection: Connection, agentIds: readonly string[]): Promise<QueueState[]> {
    const rows = await QUEUE_STATES.rows<QueueState & { agentId: string }>(connection, { agentIds });
    const byAgent = new Map(rows.map((row) => [row.agentId, row]));
    return agentIds.map((agentId) => byAgent.get(agentId) ?? { waiting: 0, nextDueMs: null });
  }

  async findForAgent(tx: Transaction, agentId: string, commandId: string): Promise<CommandEntity | null> {
    const [row] = await FIND_FOR_AGENT.rows<CommandEntity>(tx, { commandId, agentId });
    return row ?? null;
  }

  /**
   * Records the first reply; a reply after the command was given up still counts as the first.
   *
   * @returns false if the command was answered or superseded before
   */
  async settle(
    tx: Transaction,
    commandId: string,
    { success, result, error }: CommandReply,
  ): Promise<boolean> {
    const update = tx
      .createQueryBuilder()
      .update(CommandEntity)
      .set({
        state: success ? 'succeeded' : 'failed',
        // The column is null before the first reply.
        result: result ?? undefined,
        error,
        acknowledgedAt: () => 'now()',
        settledAt: () => 'coalesce(settledAt, clock.at)',
      })
      .where({ id: commandId })
      .andWhere("(settledAt IS NULL OR (state = 'dead' AND acknowledgedAt IS NULL))")
      .returning('id');
    const [text, parameters] = update.getQueryAndParameters();
    return (await rowsOf(tx, withClock(text), parameters)).length > 0;
  }

  /**
   * Lets a scale to no replica be delivered again after its last lease.
   *
   * @returns false if it is another command, or a reply came in the meantime
   */
  async deliverAnew(tx: Transaction, commandId: string): Promise<boolean> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(CommandEntity)
      .set({ state: 'pending', attempts: 0, leasedAt: () => 'NULL', leasedUntil: () => 'NULL' })
      .where({ id: commandId, state: 'leased', action: 'scale', attempts: MoreThanOrEqual(MAXIMUM_ATTEMPTS) })
      .andWhere("leasedUntil <= now() AND parameters ->> 'replicas' = '0'")
      .execute();
    return affected === 1;
  }

  /** Commands of a deployment, newest first. */
  listOf(
    connection: Connection,
    deploymentId: string,
    state: CommandState | null,
    request: PageRequest,
  ): Promise<Page<CommandRecord>> {
    const newestFirst = selectRows(connection, CommandEntity, 'command', SHOWN)
      .addSelect(`EXISTS (${predecessors(connection)})`, 'hasPredecessor')
      .addSelect(`CASE WHEN command.settledAt IS NULL THEN ${keyOfConfig('command')} END`, 'keyOfConfig')
      .where({ deploymentId, ...(state && { state }) });
    const bytes = `coalesce(octet_length(result::text), 0) + ${sentBytes('error')}`;
    return readNewest(connection, newestFirst, request, bytes, BY_SEQUENCE);
  }

  /** Counts the projects' commands that have waited for longer, by the database's clock. */
  countOlder(connection: Connection, projectIds: readonly string[], seconds: number): Promise<number> {
    return selectOlder(connection, projectIds, seconds).getCount();
  }

  /** Lists the same commands as {@link countOlder}, oldest first. */
  listOlder(
    connection: Connection,
    projectIds: readonly string[],
    seconds: number,
    limit: number,
  ): Promise<WaitingCommand[]> {
    return selectOlder(connection, projectIds, seconds)
      .addSelect(AGENT_NAME, 'agentName')
      .orderBy('command.createdAt')
      .limit(limit)
      .getRawMany<WaitingCommand>();
  }

  /** Commands whose last lease ended without a reply. */
  listExhausted(
    connection: Connection,
    limit: number,
  ): Promise<{ id: string; deploymentId: string; agentId: string }[]> {
    return (
      selectRows(connection, CommandEntity, 'command', ['id', 'deploymentId', 'agentId'])
        // A constant, not a parameter: PostgreSQL then uses the partial index.
        .where("command.state = 'leased'")
        .andWhere('command.leasedUntil <= now()')
        .andWhere({ attempts: MoreThanOrEqual(MAXIMUM_ATTEMPTS) })
        // Random order: commands that can't be given up must not delay all others.
        .orderBy('random()')
        .limit(limit)
        .getRawMany<{ id: string; deploymentId: string; agentId: string }>()
    );
  }

  async moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    await tx.getRepository(CommandEntity).update({ agentId }, { projectId });
  }

  /** @returns false if a reply came in the meantime */
  async markDead(tx: Transaction, commandId: string): Promise<boolean> {
    const { affected } = await tx
      .createQueryBuilder()
      .update(CommandEntity)
      .set({ state: 'dead', settledAt: () => 'now()' })
      .where({ id: commandId, state: 'leased', attempts: MoreThanOrEqual(MAXIMUM_ATTEMPTS) })
      .andWhere('leasedUntil <= now()')
      .execute();
    return affected === 1;
  }

  /** Counts the unsettled commands by state; the partial index of the queue serves it. */
  async backlog(connection: Connection): Promise<CommandBacklog[]> {
    const found = await connection
      .createQueryBuilder(CommandEntity, 'command')
      .select('command.state', 'state')
      .addSelect('count(*)::int', 'count')
      .addSelect('extract(epoch FROM now() - min(command.createdAt))::float8', 'oldestSeconds')
      .addSelect(`extract(epoch FROM now() - min(${WAITS_ONLINE_SINCE}))::float8`, 'onlineSeconds')
      .where('command.settledAt IS NULL')
      .groupBy('command.state')
      .getRawMany<CommandBacklog>();
    return found;
  }

  /**
   * Deletes commands that were settled longer ago than a number of days by the database's clock, oldest first.
   *
   * @returns the number of deleted commands, at most `limit`
   */
  deleteSettled(connection: Connection, days: number, limit: number): Promise<number> {
    return deleteOld(connection, CommandEntity, { since: 'old.settledAt', days }, limit);
  }
}

/** SQL for the earlier unsettled commands of the deployment of `command`. */
function predecessors(connection: Connection): string {
  return connection
    .createQueryBuilder(CommandEntity, 'earlier')
    .select('1')
    .where('earlier.deploymentId = command.deploymentId AND earlier.sequence < command.sequence')
    .andWhere('earlier.settledAt IS NULL')
    .getQuery();
}

function selectOlder(
  connection: Connection,
  projectIds: readonly string[],
  seconds: number,
): SelectQueryBuilder<CommandEntity> {
  return selectRows(connection, CommandEntity, 'command', [
    ...(['id', 'action', 'agentId', 'deploymentId', 'createdAt'] as const),
  ])
    .where({ projectId: In([...projectIds]), settledAt: IsNull() })
    .andWhere('command.createdAt < now() - make_interval(secs => :seconds)', { seconds });
}

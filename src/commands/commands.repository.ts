import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../database/page.js';
import { readSqlPage } from '../database/read-sql-page.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { CommandAction } from '../lifecycle/deployment-lifecycle.js';
import { CommandEntity } from './command.entity.js';
import type {
  CommandParameters,
  CommandRecord,
  CommandReply,
  CommandState,
  LeasedCommand,
  NewCommand,
  QueueState,
} from './command.types.js';

/** A command is delivered this often at most before it is given up. */
export const MAXIMUM_ATTEMPTS = 5;

@Injectable()
export class CommandsRepository {
  async countWaiting(tx: Transaction, agentId: string): Promise<number> {
    const [row] = await rowsOf<{ count: number }>(
      tx,
      'SELECT count(*)::int AS count FROM commands WHERE agent_id = $1 AND settled_at IS NULL',
      [agentId],
    );
    return row?.count ?? 0;
  }

  async insert(tx: Transaction, command: NewCommand): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO commands (id, agent_id, deployment_id, sequence, generation, action, parameters)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        command.id,
        command.agentId,
        command.deploymentId,
        command.sequence,
        command.generation,
        command.action,
        JSON.stringify(command.parameters),
      ],
    );
  }

  /**
   * Settles what was never delivered and is no longer wanted.
   *
   * @param actions those meant; null for all
   */
  async supersede(
    tx: Transaction,
    deploymentId: string,
    actions: readonly CommandAction[] | null,
  ): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE commands SET state = 'superseded', settled_at = now()
       WHERE deployment_id = $1 AND settled_at IS NULL AND attempts = 0
         AND ($2::text[] IS NULL OR action = ANY ($2))`,
      [deploymentId, actions],
    );
  }

  /**
   * Hands out, under a lease, the first waiting command of each of the agent's deployments. Two polls at once get
   * different commands or none: `SKIP LOCKED` where they meet, the repeated condition where one comes second.
   */
  async lease(
    connection: Connection,
    agentId: string,
    limit: number,
    leaseSeconds: number,
  ): Promise<LeasedCommand[]> {
    const rows = await rowsOf<{
      id: string;
      action: CommandAction;
      deployment_id: string;
      parameters: CommandParameters;
      attempts: number;
      created_at: string;
      leased_until: string;
    }>(
      connection,
      `WITH heads AS (
         SELECT DISTINCT ON (deployment_id) id FROM commands
         WHERE agent_id = $1 AND settled_at IS NULL
         ORDER BY deployment_id, sequence
       ), due AS (
         SELECT id FROM commands
         WHERE id IN (SELECT id FROM heads)
           AND (state = 'pending' OR (leased_until <= now() AND attempts < $4))
         ORDER BY id LIMIT $2
         FOR UPDATE SKIP LOCKED
       )
       UPDATE commands AS command
       SET state = 'leased', attempts = attempts + 1, leased_at = now(),
         leased_until = now() + make_interval(secs => $3)
       FROM due WHERE command.id = due.id AND settled_at IS NULL
       RETURNING command.id, action, deployment_id, parameters, attempts, created_at, leased_until`,
      [agentId, limit, leaseSeconds, MAXIMUM_ATTEMPTS],
    );
    return rows
      .map((row) => ({
        id: row.id,
        action: row.action,
        deploymentId: row.deployment_id,
        parameters: row.parameters,
        attempt: row.attempts,
        createdAt: row.created_at,
        leasedUntil: row.leased_until,
      }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** One statement for any number of agents. @returns the state of each one's queue */
  async queueStates(connection: Connection, agentIds: readonly string[]): Promise<QueueState[]> {
    const rows = await rowsOf<QueueState & { agentId: string }>(
      connection,
      `SELECT agent_id AS "agentId", count(*)::int AS waiting,
         (extract(epoch FROM min(leased_until) FILTER (WHERE leased_until > now()) - now()) * 1000)::int
           AS "nextDueMs"
       FROM commands WHERE agent_id = ANY ($1::uuid[]) AND settled_at IS NULL GROUP BY agent_id`,
      [agentIds],
    );
    const byAgent = new Map(rows.map((row) => [row.agentId, row]));
    return agentIds.map((agentId) => byAgent.get(agentId) ?? { waiting: 0, nextDueMs: null });
  }

  async find(tx: Transaction, agentId: string, commandId: string): Promise<CommandEntity | null> {
    return tx.getRepository(CommandEntity).findOneBy({ id: commandId, agentId });
  }

  /**
   * Records the first reply; a reply that comes after the command was given up still counts as the first.
   *
   * @returns false where the command was answered or superseded before
   */
  async settle(tx: Transaction, commandId: string, reply: CommandReply): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `UPDATE commands
       SET state = CASE WHEN $2 THEN 'succeeded' ELSE 'failed' END, result = $3::jsonb, error = $4,
         acknowledged_at = now(), settled_at = coalesce(settled_at, now())
       WHERE id = $1 AND (settled_at IS NULL OR (state = 'dead' AND acknowledged_at IS NULL))
       RETURNING id`,
      [
        commandId,
        reply.success,
        reply.result === undefined ? null : JSON.stringify(reply.result),
        reply.error,
      ],
    );
    return rows.length > 0;
  }

  /** What was asked of a deployment's runtime, newest first. */
  listOf(
    connection: Connection,
    deploymentId: string,
    state: CommandState | null,
    request: PageRequest,
  ): Promise<Page<CommandRecord>> {
    return readSqlPage<CommandRecord>(
      connection,
      {
        columns: `id, agent_id AS "agentId", deployment_id AS "deploymentId", generation, action, state, attempts,
          result, error, created_at AS "createdAt", leased_at AS "leasedAt", leased_until AS "leasedUntil",
          acknowledged_at AS "acknowledgedAt", settled_at AS "settledAt",
          EXISTS (SELECT FROM commands AS earlier
            WHERE earlier.deployment_id = command.deployment_id AND earlier.sequence < command.sequence
              AND earlier.settled_at IS NULL) AS "hasPredecessor"`,
        from: 'commands AS command',
        where: 'deployment_id = $1 AND ($2::text IS NULL OR state = $2)',
        orderBy: 'sequence DESC',
        parameters: [deploymentId, state],
        bytes: 'coalesce(octet_length(result::text), 0) + coalesce(octet_length(error), 0)',
      },
      request,
    );
  }

  /** Commands whose last lease ended without a reply. */
  async listExhausted(
    connection: Connection,
    limit: number,
  ): Promise<{ id: string; deploymentId: string; agentId: string }[]> {
    const rows = await rowsOf<{ id: string; deployment_id: string; agent_id: string }>(
      connection,
      `SELECT id, deployment_id, agent_id FROM commands
       WHERE state = 'leased' AND leased_until <= now() AND attempts >= $1
       ORDER BY leased_until LIMIT $2`,
      [MAXIMUM_ATTEMPTS, limit],
    );
    return rows.map((row) => ({ id: row.id, deploymentId: row.deployment_id, agentId: row.agent_id }));
  }

  /** @returns false where a reply came in the meantime */
  async markDead(tx: Transaction, commandId: string): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `UPDATE commands SET state = 'dead', settled_at = now()
       WHERE id = $1 AND state = 'leased' AND leased_until <= now() AND attempts >= $2
       RETURNING id`,
      [commandId, MAXIMUM_ATTEMPTS],
    );
    return rows.length > 0;
  }

  /**
   * Deletes commands that were settled so many days ago, by the database's clock, oldest first.
   *
   * @returns how many, at most `limit`
   */
  async deleteSettled(connection: Connection, days: number, limit: number): Promise<number> {
    const rows = await rowsOf(
      connection,
      `DELETE FROM commands WHERE id = ANY (ARRAY(
         SELECT id FROM commands WHERE settled_at < now() - make_interval(days => $1)
         ORDER BY settled_at LIMIT $2))
       RETURNING 1`,
      [days, limit],
    );
    return rows.length;
  }
}

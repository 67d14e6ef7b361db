import { Injectable } from '@nestjs/common';
import { MoreThanOrEqual } from 'typeorm';
import { PreparedQuery } from '../database/prepared-query.js';
import type { Notification } from '../database/revocable-cache.js';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import type { CommandAction } from '../lifecycle/deployment-lifecycle.js';
import { CommandEntity } from './command.entity.js';
import type { Enqueued, NewCommand } from './command.types.js';

/** By hand: one statement, because each deploy, scale, restart and stop runs it. */
const INSERT: PreparedStatement = {
  name: 'insert_command',
  text: `WITH superseded AS (
      UPDATE commands SET state = 'superseded', settled_at = now()
      WHERE agent_id = $2 AND deployment_id = $4 AND settled_at IS NULL AND attempts = 0 AND action = ANY ($9::text[])
      RETURNING id
    ), inserted AS (
      INSERT INTO commands (id, agent_id, user_id, deployment_id, sequence, generation, action, parameters)
      SELECT given.* FROM (VALUES ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::int, $6::int, $7, $8::jsonb)) AS given
      WHERE $10::int IS NULL OR $10 > (SELECT count(*) FROM commands WHERE agent_id = $2 AND settled_at IS NULL)
        - (SELECT count(*) FROM superseded)
      RETURNING id
    )
    SELECT EXISTS (SELECT FROM inserted) AS "isInserted", (SELECT count(*)::int FROM superseded) AS superseded,
      pg_notify($11, $12)`,
};

const SUPERSEDE = new PreparedQuery('supersede_commands', ['deploymentId'], (connection) =>
  connection
    .createQueryBuilder()
    .update(CommandEntity)
    .set({ state: () => "'superseded'", settledAt: () => 'now()' })
    .where('deployment_id = :deploymentId AND settled_at IS NULL AND attempts = 0')
    .returning('id'),
);

/** Writes to the queue, for the transaction of a step. `CommandsRepository` has the rest of a command's life. */
@Injectable()
export class NewCommandsRepository {
  /**
   * Adds a command, settles the undelivered ones that it replaces, and notifies the agent's waiting polls.
   *
   * @param supersedes actions of the deployment's commands that it replaces
   * @param maximum it is not added if this many wait for the agent; null: no maximum
   */
  async insert(
    tx: Transaction,
    command: NewCommand,
    supersedes: readonly CommandAction[],
    maximum: number | null,
    { channel, payload }: Notification,
  ): Promise<Enqueued> {
    const [enqueued] = await rowsOf<Enqueued>(tx, INSERT, [
      command.id,
      command.agentId,
      command.projectId,
      command.deploymentId,
      command.sequence,
      command.generation,
      command.action,
      command.parameters,
      supersedes,
      maximum,
      channel,
      payload,
    ]);
    return enqueued!;
  }

  /** Settles the undelivered commands of a deployment. @returns their number */
  async supersede(tx: Transaction, deploymentId: string): Promise<number> {
    return (await SUPERSEDE.rows(tx, { deploymentId })).length;
  }

  /** Returns true if a command of the deployment has been delivered, and is still kept. */
  wasDelivered(tx: Transaction, deploymentId: string): Promise<boolean> {
    return tx.getRepository(CommandEntity).existsBy({ deploymentId, attempts: MoreThanOrEqual(1) });
  }
}

import { Injectable } from '@nestjs/common';
import { deleteOld } from '../database/deleted-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { FormerAgentEntity } from './former-agent.entity.js';

/** The longest period of a budget, with a day for zones; days. */
const KEPT_DAYS = 32;

@Injectable()
export class FormerAgentsRepository {
  /**
   * Remembers the labels of an agent that leaves a project. By hand: the table of agents belongs to a feature below.
   *
   * @param projectId null: the one that it is in
   */
  async add(tx: Transaction, projectId: string | null, agentId: string): Promise<void> {
    await rowsOf(
      tx,
      `INSERT INTO former_agents (project_id, agent_id, labels, left_at)
       SELECT coalesce($1::uuid, user_id), id, labels, now() FROM agents WHERE id = $2 AND labels <> '{}'
       ON CONFLICT (project_id, agent_id) DO UPDATE SET labels = excluded.labels, left_at = excluded.left_at`,
      [projectId, agentId],
    );
  }

  /** Forgets an agent that has come back: its present labels count. */
  async forget(tx: Transaction, projectId: string, agentId: string): Promise<void> {
    await tx.delete(FormerAgentEntity, { projectId, agentId });
  }

  /** @returns the number of deleted rows, at most `limit` */
  deleteOld(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, FormerAgentEntity, { since: 'old.leftAt', days: KEPT_DAYS }, limit);
  }
}

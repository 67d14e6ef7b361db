import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { AgentConfigEntity } from './agent-config.entity.js';

const versions = (table: string) =>
  `SELECT ${table}.config_version FROM ${table} WHERE ${table}.agent_id = $1`;

/** By hand: what names a version belongs to features above. */
const DELETE_UNNAMED = `DELETE FROM agent_configs AS version WHERE version.agent_id = $1 AND version.config_version IN (
    SELECT old.config_version FROM agent_configs AS old JOIN agents AS agent ON agent.id = old.agent_id
    WHERE old.agent_id = $1 AND old.config_version <= agent.config_version - $2
      AND old.config_version NOT IN (${versions('deployments')})
      AND old.config_version NOT IN (${versions('runs')} AND runs.config_version IS NOT NULL)
      AND old.config_version NOT IN (${versions('usage_daily')})
    LIMIT $3
  ) RETURNING 1`;

/** Versions of configs, as rows that come and go. */
@Injectable()
export class ConfigVersionsRepository {
  exists(connection: Connection, agentId: string, configVersion: number): Promise<boolean> {
    return connection.getRepository(AgentConfigEntity).existsBy({ agentId, configVersion });
  }

  /** Ids of agents with more versions than these, in the order of their ids, after one. By hand: a count for each agent. */
  async listLarge(connection: Connection, kept: number, after: string, limit: number): Promise<string[]> {
    const rows = await rowsOf<{ id: string }>(
      connection,
      `SELECT id FROM agents AS agent WHERE id > $1 AND config_version > $2
         AND EXISTS (SELECT FROM agent_configs AS version
           WHERE version.agent_id = agent.id AND version.config_version <= agent.config_version - $2)
       ORDER BY id LIMIT $3`,
      [after, kept, limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes versions before the newest ones that no deployment, no run and no count of usage names, of an agent that the transaction has
   * locked: a deployment of such a version would be made under the same lock.
   *
   * @returns their number; fewer than `limit`: there are no more
   */
  async deleteUnnamed(tx: Transaction, agentId: string, kept: number, limit: number): Promise<number> {
    return (await rowsOf(tx, DELETE_UNNAMED, [agentId, kept, limit])).length;
  }
}

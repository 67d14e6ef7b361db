import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import { lists, type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { isNewer } from '../lifecycle/agent-health.js';
import { DeploymentEntity } from './deployment.entity.js';
import { ACTIVE_OF_AGENT, COLUMNS, selectWithName } from './deployments.repository.js';

/** An agent, and ids that it claims as those of its deployments. */
export interface MentionedDeployments {
  readonly agentId: string;
  readonly mentioned: readonly string[];
}

const ACTIVE_OF = new PreparedQuery('active_deployments', ['agentId'], (connection) =>
  selectWithName(connection)
    .where(ACTIVE_OF_AGENT)
    .orderBy('deployment.createdAt', 'DESC')
    .addOrderBy('deployment.id', 'DESC'),
);

const FIND_MENTIONED = new PreparedQuery('find_mentioned_deployments', ['ids'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment').where(`deployment.id = ANY (${idList('ids')})`),
);

const FIND_LOST = new PreparedQuery('find_lost_deployments', ['agentId'], (connection) =>
  selectRows(connection, DeploymentEntity, 'deployment', ['id'])
    .where('deployment.agentId = :agentId')
    // A constant, not a parameter: PostgreSQL then uses the partial index.
    .andWhere("deployment.failureCause = 'heartbeat_lost'")
    .orderBy('deployment.id'),
);

const LATEST_OF: PreparedStatement = {
  name: 'latest_deployments',
  text: `SELECT ${COLUMNS} FROM unnest(${lists('uuid')}) AS agent(id)
    CROSS JOIN LATERAL (
      SELECT * FROM deployments WHERE agent_id = agent.id ORDER BY created_at DESC, id DESC LIMIT $2) AS deployment`,
};

/** Reads the deployments of agents that the caller knows. */
@Injectable()
export class DeploymentsOfAgentsRepository {
  /** The agent's active deployments, newest first. */
  activeOf(connection: Connection, agentId: string): Promise<DeploymentEntity[]> {
    return ACTIVE_OF.rows<DeploymentEntity>(connection, { agentId });
  }

  /**
   * Reads the latest deployments of any number of agents in one statement. By hand: `unnest` with a LIMIT for each.
   *
   * @returns the latest ones of each agent, newest first
   */
  async latestOf(
    connection: Connection,
    agentIds: readonly string[],
    limit: number,
  ): Promise<DeploymentEntity[][]> {
    const rows = await rowsOf<DeploymentEntity>(connection, LATEST_OF, [[...new Set(agentIds)], limit]);
    const byAgent = Map.groupBy(rows, (deployment) => deployment.agentId);
    return agentIds.map((agentId) =>
      (byAgent.get(agentId) ?? []).sort((one, other) => (isNewer(one, other) ? -1 : 1)),
    );
  }

  /**
   * For each question, the agent's own deployments among these ids, without the agent's name. One statement for any
   * number of questions, because most heartbeats ask one.
   */
  async findMentioned(
    connection: Connection,
    questions: readonly MentionedDeployments[],
  ): Promise<DeploymentEntity[][]> {
    const ids = [...new Set(questions.flatMap(({ mentioned }) => mentioned))];
    const rows = await FIND_MENTIONED.rows<DeploymentEntity>(connection, { ids });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return questions.map(({ agentId, mentioned }) =>
      mentioned.flatMap((id) => byId.get(id) ?? []).filter((deployment) => deployment.agentId === agentId),
    );
  }

  /** Ids of the agent's deployments that failed when its heartbeat was lost. */
  async findLost(tx: Transaction, agentId: string): Promise<string[]> {
    const rows = await FIND_LOST.rows<Pick<DeploymentEntity, 'id'>>(tx, { agentId });
    return rows.map(({ id }) => id);
  }
}

import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { updateSearched } from './agent-copies.repository.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import { AgentEntity } from './agent.entity.js';

const PROJECTS = new PreparedQuery('projects_of_agents', ['agentIds'], (connection) =>
  selectRows(connection, AgentEntity, 'agent', ['id', 'projectId']).where(
    `agent.id = ANY (${idList('agentIds')})`,
  ),
);

/** The project of an agent, and its change. */
@Injectable()
export class AgentHandoversRepository {
  /** Reads any number of agents in one statement. @returns for each id its project, or null */
  async projectsOf(connection: Connection, agentIds: readonly string[]): Promise<(string | null)[]> {
    const rows = await PROJECTS.rows<Pick<AgentEntity, 'id' | 'projectId'>>(connection, { agentIds });
    const byId = new Map(rows.map(({ id, projectId }) => [id, projectId]));
    return agentIds.map((id) => byId.get(id) ?? null);
  }

  /**
   * Gives an agent, whose row the transaction has locked, to another project, with its presence and with
   * what searches read.
   */
  async move(
    tx: Transaction,
    agentId: string,
    owner: Pick<AgentEntity, 'projectId' | 'createdBy'>,
  ): Promise<void> {
    const update = tx
      .createQueryBuilder()
      .update(AgentEntity)
      .set({ ...owner, updatedAt: () => 'now()' })
      .where({ id: agentId });
    await updateSearched(tx, update);
    await tx.getRepository(AgentPresenceEntity).update({ agentId }, { projectId: owner.projectId });
  }
}

import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { AgentPauseEntity } from './agent-pause.entity.js';
import type { HeldAgent, PauseSelector } from './pause.types.js';

/** By hand: the table of agents belongs to a feature below. Ordered, so that two acts take their locks in one order. */
const HOLD_MATCHING = `INSERT INTO agent_pauses (agent_id, pause_id)
  SELECT agent.id, $1 FROM agents AS agent
  WHERE agent.user_id = $2 AND agent.status <> 'deleting'
    AND agent.labels @> $3::jsonb AND ($4::text IS NULL OR agent.type = $4)
  ORDER BY agent.id RETURNING agent_id`;

const HOLD_NAMED = `INSERT INTO agent_pauses (agent_id, pause_id)
  SELECT agent.id, $1 FROM agents AS agent
  WHERE agent.user_id = $2 AND agent.status <> 'deleting' AND agent.id = ANY ($3::uuid[])
  ORDER BY agent.id RETURNING agent_id`;

/** Reads and writes which agents pauses hold. */
@Injectable()
export class AgentPausesRepository {
  /** @returns the number of agents */
  async holdMatching(
    tx: Transaction,
    pauseId: string,
    {
      projectId,
      labels,
      type,
    }: Required<Pick<PauseSelector, 'projectId' | 'type'>> & { readonly labels: object },
  ): Promise<number> {
    const parameters = [pauseId, projectId, JSON.stringify(labels), type];
    return (await rowsOf(tx, HOLD_MATCHING, parameters)).length;
  }

  /** @returns the number of agents: those that the project has */
  async holdNamed(
    tx: Transaction,
    pauseId: string,
    projectId: string,
    agentIds: readonly string[],
  ): Promise<number> {
    return (await rowsOf(tx, HOLD_NAMED, [pauseId, projectId, agentIds])).length;
  }

  /** The pauses of these agents, the oldest of each first, with those that have ended and still have the agent. */
  of(tx: Transaction, agentIds: readonly string[]): Promise<HeldAgent[]> {
    return selectRows(tx, AgentPauseEntity, 'held', ['agentId', 'appliedAt', 'pauseId'])
      .innerJoin('PauseEntity', 'pause', 'pause.id = held.pauseId')
      .addSelect('pause.projectId', 'projectId')
      .addSelect('pause.by', 'by')
      .addSelect('pause.reason', 'reason')
      .addSelect('pause.runs', 'runs')
      .addSelect('pause.actor', 'actor')
      .addSelect('pause.endedAt', 'endedAt')
      .addSelect('pause.endedBy', 'endedBy')
      .where('held.agentId = ANY (:agentIds)', { agentIds })
      .orderBy('pause.createdAt')
      .addOrderBy('pause.id')
      .getRawMany<HeldAgent>();
  }

  async markApplied(tx: Transaction, agentIds: readonly string[]): Promise<void> {
    await tx
      .createQueryBuilder()
      .update(AgentPauseEntity)
      .set({ appliedAt: () => 'now()' })
      .where({ agentId: In([...agentIds]), appliedAt: IsNull() })
      .execute();
  }

  async delete(tx: Transaction, agentId: string, pauseIds: readonly string[]): Promise<void> {
    await tx.getRepository(AgentPauseEntity).delete({ agentId, pauseId: In([...pauseIds]) });
  }

  /** Gives an agent from one pause to another. */
  async move(tx: Transaction, agentId: string, from: string, to: string): Promise<void> {
    await tx.getRepository(AgentPauseEntity).update({ agentId, pauseId: from }, { pauseId: to });
  }

  /** Agents of a pause that are still to be held or released for it, in the order of their ids. */
  async listPending(connection: Connection, pauseId: string, limit: number): Promise<string[]> {
    const rows = await selectRows(connection, AgentPauseEntity, 'held', ['agentId'])
      .innerJoin('PauseEntity', 'pause', 'pause.id = held.pauseId')
      .where('held.pauseId = :pauseId AND (held.appliedAt IS NULL OR pause.endedAt IS NOT NULL)', { pauseId })
      .orderBy('held.agentId')
      .limit(limit)
      .getRawMany<Pick<HeldAgent, 'agentId'>>();
    return rows.map(({ agentId }) => agentId);
  }
}

import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import type { AgentConnection, Workload } from '../lifecycle/agent-health.js';
import { ONLINE } from './agent-conditions.js';
import { AgentEntity } from './agent.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type { SilentAgent } from './agent.types.js';

/** Agents of one owner whose workload and connection are the same. */
export interface AgentGroup {
  readonly workload: Workload;
  readonly connection: AgentConnection;
  readonly count: number;
  /** Ids of the owner's agents that fell silent last; in each group the same ones. */
  readonly silent: readonly string[] | null;
}

/** Sums of an owner's agents. */
@Injectable()
export class AgentSummaryRepository {
  /**
   * One statement: the rows of presence are read once for those that are not online, which are few as a rule; all others
   * are counted in the index on the workload.
   */
  groups(
    connection: Connection,
    userId: string,
    missedIntervals: number,
    silent: number,
  ): Promise<AgentGroup[]> {
    const away = connection
      .createQueryBuilder(AgentPresenceEntity, 'presence')
      .select('presence.agentId', 'agent_id')
      .addSelect('presence.lastSeenAt', 'last_seen_at')
      .where('presence.userId = :userId')
      .andWhere(`NOT (${ONLINE})`);
    return (
      connection
        .createQueryBuilder(AgentEntity, 'agent')
        .addCommonTableExpression(away.getQuery(), 'away', { materialized: true })
        .leftJoin('away', 'away', 'away.agent_id = agent.id')
        .select('agent.workload', 'workload')
        .addSelect(
          `CASE WHEN away.agent_id IS NULL THEN 'online'
           WHEN away.last_seen_at IS NULL THEN 'never_connected' ELSE 'offline' END`,
          'connection',
        )
        .addSelect('count(*)::int', 'count')
        .addSelect(
          `(SELECT array_agg(agent_id) FROM (SELECT agent_id FROM away WHERE last_seen_at IS NOT NULL
           ORDER BY last_seen_at DESC LIMIT ${silent}) AS latest)`,
          'silent',
        )
        .where('agent.userId = :userId')
        // A constant, not a parameter: it leads to the partial index.
        .andWhere("agent.status <> 'deleting'")
        .groupBy('agent.workload')
        .addGroupBy('connection')
        .setParameters({ userId, missedIntervals })
        .getRawMany<AgentGroup>()
    );
  }

  /** The agents, the one heard of last first. */
  heardOf(connection: Connection, agentIds: readonly string[]): Promise<SilentAgent[]> {
    return connection
      .createQueryBuilder(AgentEntity, 'agent')
      .innerJoin(AgentPresenceEntity, 'presence', 'presence.agentId = agent.id')
      .select('agent.id', 'agentId')
      .addSelect('agent.name', 'name')
      .addSelect('presence.lastSeenAt', 'lastSeenAt')
      .where('agent.id = ANY (:agentIds)', { agentIds })
      .andWhere("agent.status <> 'deleting'")
      .orderBy('presence.lastSeenAt', 'DESC')
      .getRawMany<SilentAgent>();
  }
}

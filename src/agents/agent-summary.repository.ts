import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { AGENT_CONNECTIONS, type AgentConnection, type Workload } from '../lifecycle/agent-health.js';
import { hasConnection, ONLINE } from './agent-conditions.js';
import { AgentEntity } from './agent.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type { SilentAgent } from './agent.types.js';

/** How many agents with one workload are online, offline, and never connected. */
export interface WorkloadCounts extends Readonly<Record<AgentConnection, number>> {
  readonly workload: Workload;
}

/** The counts of an owner's agents. */
export interface OwnedCounts extends WorkloadCounts {
  /** Ids of the owner's agents that fell silent last; with each workload the same ones. */
  readonly silent: readonly string[] | null;
}

/** Sums of an owner's agents. */
@Injectable()
export class AgentSummaryRepository {
  /**
   * One statement: the rows of presence are read once for those that are not online, which are few as a rule; all others
   * are counted in the index on the workload. Grouping by the connection as well takes a sixth longer.
   */
  counts(
    connection: Connection,
    userId: string,
    missedIntervals: number,
    silent: number,
  ): Promise<OwnedCounts[]> {
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
        .addSelect('(count(*) - count(away.agent_id))::int', 'online')
        .addSelect('(count(away.agent_id) - count(away.last_seen_at))::int', 'never_connected')
        .addSelect('count(away.last_seen_at)::int', 'offline')
        .addSelect(
          `(SELECT array_agg(agent_id) FROM (SELECT agent_id FROM away WHERE last_seen_at IS NOT NULL
           ORDER BY last_seen_at DESC LIMIT ${silent}) AS latest)`,
          'silent',
        )
        .where('agent.userId = :userId')
        // A constant, not a parameter: it leads to the partial index.
        .andWhere("agent.status <> 'deleting'")
        .groupBy('agent.workload')
        .setParameters({ userId, missedIntervals })
        .getRawMany<OwnedCounts>()
    );
  }

  /** The same counts of all agents, whoever owns them: for the metrics of the service. */
  fleet(connection: Connection, missedIntervals: number): Promise<WorkloadCounts[]> {
    const counts = connection
      .createQueryBuilder(AgentEntity, 'agent')
      .innerJoin(AgentPresenceEntity, 'presence', 'presence.agentId = agent.id')
      .select('agent.workload', 'workload');
    for (const each of AGENT_CONNECTIONS)
      counts.addSelect(`(count(*) FILTER (WHERE ${hasConnection(each)}))::int`, each);
    return counts
      .where("agent.status <> 'deleting'")
      .groupBy('agent.workload')
      .setParameters({ missedIntervals })
      .getRawMany<WorkloadCounts>();
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

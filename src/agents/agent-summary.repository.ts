import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  type Workload,
  WORKLOADS,
} from '../lifecycle/agent-health.js';
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

/** A workload of an owner's agents, before the agents away are shared out. */
interface OwnedWorkload {
  readonly workload: Workload;
  readonly total: number;
  readonly isCommonest: boolean;
  /** Its agents that are not online, and those of them that called once; zero for the commonest workload. */
  readonly away: number;
  readonly offline: number;
  /** The same of all workloads together. */
  readonly allAway: number;
  readonly allOffline: number;
  readonly silent: readonly string[] | null;
}

/** One count for each workload: each reads its part of the index alone. Grouping would compare every entry. */
const OWNED = `SELECT each.workload, count.total,
    row_number() OVER (ORDER BY count.total DESC, each.workload) = 1 AS is_commonest
  FROM unnest(:workloads::text[]) AS each (workload) CROSS JOIN LATERAL (
    SELECT count(*)::int AS total FROM agents
    WHERE agents.user_id = :userId AND agents.workload = each.workload AND agents.status <> 'deleting'
  ) AS count`;
const SUMS = 'SELECT count(*)::int AS away, count(last_seen_at)::int AS offline FROM away';
const LOOKED_UP = `SELECT agents.workload, count(*)::int AS away, count(away.last_seen_at)::int AS offline
  FROM owned JOIN agents ON agents.user_id = :userId AND agents.workload = owned.workload AND agents.status <> 'deleting'
  JOIN away ON away.agent_id = agents.id
  WHERE NOT owned.is_commonest
  GROUP BY agents.workload`;

/** Sums of an owner's agents. */
@Injectable()
export class AgentSummaryRepository {
  /**
   * One statement, so that all counts are of one moment. The owner's rows of presence are read once, for those that are
   * not online. Only agents with the rarer workloads are joined with them; the rest of those away has the commonest.
   */
  async counts(
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
      .andWhere(`NOT (${ONLINE})`)
      .andWhere(
        `presence.agentId NOT IN (SELECT id FROM agents WHERE user_id = :userId AND status = 'deleting')`,
      );
    const rows = await connection
      .createQueryBuilder()
      .addCommonTableExpression(OWNED, 'owned', { materialized: true })
      .addCommonTableExpression(away.getQuery(), 'away', { materialized: true })
      .addCommonTableExpression(LOOKED_UP, 'looked_up')
      .addCommonTableExpression(SUMS, 'sums')
      .select('owned.workload', 'workload')
      .addSelect('owned.total', 'total')
      .addSelect('owned.is_commonest', 'isCommonest')
      .addSelect('coalesce(looked_up.away, 0)', 'away')
      .addSelect('coalesce(looked_up.offline, 0)', 'offline')
      .addSelect('sums.away', 'allAway')
      .addSelect('sums.offline', 'allOffline')
      .addSelect(
        `(SELECT array_agg(agent_id) FROM (SELECT agent_id FROM away WHERE last_seen_at IS NOT NULL
         ORDER BY last_seen_at DESC LIMIT ${silent}) AS latest)`,
        'silent',
      )
      .from('owned', 'owned')
      .innerJoin('sums', 'sums', 'true')
      .leftJoin('looked_up', 'looked_up', 'looked_up.workload = owned.workload')
      .setParameters({ userId, missedIntervals, workloads: WORKLOADS })
      .getRawMany<OwnedWorkload>();
    return countsOf(rows);
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

function countsOf(rows: readonly OwnedWorkload[]): OwnedCounts[] {
  const rarerAway = rows.reduce((sum, row) => sum + row.away, 0);
  const rarerOffline = rows.reduce((sum, row) => sum + row.offline, 0);
  return rows.map((row) => {
    const away = row.isCommonest ? row.allAway - rarerAway : row.away;
    const offline = row.isCommonest ? row.allOffline - rarerOffline : row.offline;
    return {
      workload: row.workload,
      online: row.total - away,
      never_connected: away - offline,
      offline,
      silent: row.silent,
    };
  });
}

import { Injectable } from '@nestjs/common';
import { eachProject } from '../database/project-pages.js';
import type { Connection } from '../database/transaction.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH,
  type Workload,
  WORKLOADS,
} from '../lifecycle/agent-health.js';
import { AgentEntity } from './agent.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type { SilentAgent } from './agent.types.js';
import { isOutdatedSql } from './runtime-software.types.js';
import { CONNECTION, RECORDED, SILENT_NOW } from './presence.js';

/** How many agents have a workload and a connection. */
export interface WorkloadCount {
  readonly workload: Workload;
  readonly connection: AgentConnection;
  readonly total: number;
}

/** SQL condition for an agent that is missed when it is silent. */
const IS_MISSED = `presence.workload IN (${WORKLOADS.filter(
  (workload) => HEALTH[workload].silent === 'offline',
)
  .map((workload) => `'${workload}'`)
  .join(', ')})`;

/** Sums of the agents of some projects. */
@Injectable()
export class AgentSummaryRepository {
  /**
   * Counts agents in one statement, so that all counts are of one moment. Recorded connections are counted from indexes
   * alone; agents that are recorded as online and are silent by the clock are subtracted by a negative count. By hand:
   * TypeORM has no UNION.
   */
  counts(
    connection: Connection,
    projectIds: readonly string[],
    missedIntervals: number,
  ): Promise<WorkloadCount[]> {
    const ofOwner = 'FROM agent_presence AS presence WHERE presence.user_id = project.id';
    const recorded = AGENT_CONNECTIONS.map(
      (
        each,
      ) => `SELECT workload, '${each}' AS connection, count(*)::int AS total ${ofOwner} AND ${RECORDED[each]}
        GROUP BY workload`,
    );
    const silent = `SELECT workload, moved.connection, moved.sign * total AS total
      FROM (SELECT workload, count(*)::int AS total ${ofOwner} AND ${SILENT_NOW} GROUP BY workload) AS silent,
        (VALUES ('online', -1), ('offline', 1)) AS moved(connection, sign)`;
    return connection
      .createQueryBuilder()
      .select('found.workload', 'workload')
      .addSelect('found.connection', 'connection')
      .addSelect('found.total', 'total')
      .from(eachProject([...recorded, silent].join(' UNION ALL ')), 'found')
      .setParameters({ projectIds, missedIntervals })
      .getRawMany<WorkloadCount>();
  }

  /** Counts the projects' agents whose runtime is too old, from the partial index that has no others. */
  outdated(connection: Connection, projectIds: readonly string[]): Promise<number> {
    return connection
      .createQueryBuilder(AgentEntity, 'agent')
      .where(
        `agent.projectId = ANY (:projectIds) AND ${isOutdatedSql('agent')} AND agent.status <> 'deleting'`,
        {
          projectIds,
        },
      )
      .getCount();
  }

  /** The same counts for the agents of all owners, for the metrics of the service. */
  fleet(connection: Connection, missedIntervals: number): Promise<WorkloadCount[]> {
    return connection
      .createQueryBuilder(AgentPresenceEntity, 'presence')
      .select('presence.workload', 'workload')
      .addSelect(CONNECTION, 'connection')
      .addSelect('count(*)::int', 'total')
      .groupBy('1, 2')
      .setParameters({ missedIntervals })
      .getRawMany<WorkloadCount>();
  }

  /** The projects' agents with the health `offline` that have called, latest call first. By hand: TypeORM has no UNION. */
  latestSilent(
    connection: Connection,
    projectIds: readonly string[],
    missedIntervals: number,
    limit: number,
  ): Promise<SilentAgent[]> {
    const latest = (condition: string, lastCall: string) =>
      `(SELECT presence.agent_id AS id, presence.last_seen_at FROM agent_presence AS presence
        WHERE presence.user_id = project.id AND ${condition} AND ${IS_MISSED} ORDER BY ${lastCall} DESC LIMIT ${limit})`;
    // A lost agent's `online_until` is its last call, so the index serves both parts.
    const parts = [
      latest(RECORDED.offline, 'presence.online_until'),
      latest(SILENT_NOW, 'presence.last_seen_at'),
    ];
    return connection
      .createQueryBuilder()
      .select('agent.id', 'agentId')
      .addSelect('agent.name', 'name')
      .addSelect('found.last_seen_at', 'lastSeenAt')
      .from(eachProject(parts.join(' UNION ALL ')), 'found')
      .innerJoin(AgentEntity, 'agent', "agent.id = found.id AND agent.status <> 'deleting'")
      .orderBy('found.last_seen_at', 'DESC')
      .limit(limit)
      .setParameters({ projectIds, missedIntervals })
      .getRawMany<SilentAgent>();
  }
}

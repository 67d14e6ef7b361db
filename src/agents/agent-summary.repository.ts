import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import type { AgentConnection, Workload } from '../lifecycle/agent-health.js';
import { CONNECTION, hasConnection } from './agent-conditions.js';
import { AgentEntity } from './agent.entity.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type { SilentAgent } from './agent.types.js';
import { CONNECTION_OF_CONTACT } from './contact.js';
import { judgedMembers, REVIEW } from './contact-members.repository.js';

/** How many agents have a workload and a connection. */
export interface WorkloadCount {
  readonly workload: Workload;
  readonly connection: AgentConnection;
  readonly total: number;
}

/** Sums of an owner's agents. */
@Injectable()
export class AgentSummaryRepository {
  /** One statement, so that all counts are of one moment. */
  counts(connection: Connection, userId: string, missedIntervals: number): Promise<WorkloadCount[]> {
    // In the order of the index: PostgreSQL would read the whole table to group by hashes, which takes three times as long.
    const trusted = `SELECT workload, ${CONNECTION_OF_CONTACT} AS connection, count(*)::int AS total
      FROM (SELECT contact, workload FROM agent_presence
        WHERE user_id = :userId AND contact <> 'quiet' AND (SELECT holds FROM review) ORDER BY contact, workload) AS presence
      GROUP BY contact, workload`;
    const judged = judgedMembers(connection).map((members) =>
      members
        .select('presence.workload', 'workload')
        .addSelect(CONNECTION, 'connection')
        .addSelect('count(*)::int', 'total')
        .groupBy('1, 2')
        .getQuery(),
    );
    return connection
      .createQueryBuilder()
      .addCommonTableExpression(REVIEW, 'review')
      .select('found.workload', 'workload')
      .addSelect('found.connection', 'connection')
      .addSelect('found.total', 'total')
      .from(`(${[trusted, ...judged].join(' UNION ALL ')})`, 'found')
      .setParameters({ userId, missedIntervals })
      .getRawMany<WorkloadCount>();
  }

  /** The same counts of all agents, whoever owns them: for the metrics of the service. */
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

  /** The user's offline agents that were heard of last, the latest first. */
  latestSilent(
    connection: Connection,
    userId: string,
    missedIntervals: number,
    limit: number,
  ): Promise<SilentAgent[]> {
    const lost = `SELECT presence.agent_id AS id, presence.quiet_since AS last_seen_at FROM agent_presence AS presence
      WHERE presence.user_id = :userId AND presence.contact = 'lost' AND (SELECT holds FROM review)
      ORDER BY presence.quiet_since DESC LIMIT ${limit}`;
    const judged = judgedMembers(connection).map((members) =>
      members
        .select('presence.agentId', 'id')
        .addSelect('presence.lastSeenAt', 'last_seen_at')
        .andWhere(hasConnection('offline'))
        .orderBy('presence.lastSeenAt', 'DESC')
        .limit(limit)
        .getQuery(),
    );
    return connection
      .createQueryBuilder()
      .addCommonTableExpression(REVIEW, 'review')
      .select('agent.id', 'agentId')
      .addSelect('agent.name', 'name')
      .addSelect('found.last_seen_at', 'lastSeenAt')
      .from(`(${[lost, ...judged].map((part) => `(${part})`).join(' UNION ALL ')})`, 'found')
      .innerJoin(AgentEntity, 'agent', "agent.id = found.id AND agent.status <> 'deleting'")
      .orderBy('found.last_seen_at', 'DESC')
      .limit(limit)
      .setParameters({ userId, missedIntervals })
      .getRawMany<SilentAgent>();
  }
}

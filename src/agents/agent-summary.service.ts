import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { AGENT_CONNECTIONS, HEALTH, HEALTH_STATES, type HealthState } from '../lifecycle/agent-health.js';
import type { AgentSummary } from './agent.types.js';
import { AgentSummaryRepository, type WorkloadCount } from './agent-summary.repository.js';
import { AgentsOnlineRepository, type OnlineHour } from './agents-online.repository.js';
import { PresenceService } from './presence.service.js';

@Injectable()
export class AgentSummaryService {
  constructor(
    private readonly summaries: AgentSummaryRepository,
    private readonly presence: PresenceService,
    private readonly online: AgentsOnlineRepository,
  ) {}

  /** The fewest agents that were online at once, by the hour. */
  onlineByHour(connection: Connection, projectIds: readonly string[], since: Date): Promise<OnlineHour[]> {
    return this.online.byHour(connection, projectIds, since);
  }

  /** @param newest number of agents listed that fell silent last */
  async summary(
    connection: Connection,
    projectIds: readonly string[],
    newest: number,
  ): Promise<AgentSummary> {
    const { missedIntervals } = this.presence;
    const counts = await this.summaries.counts(connection, projectIds, missedIntervals);
    return {
      byHealth: countsByHealth(counts),
      byConnection: countsBy(counts, AGENT_CONNECTIONS, (each) => each.connection),
      silentCount: counts
        .filter(({ workload, connection: is }) => is === 'offline' && HEALTH[workload].silent === 'offline')
        .reduce((sum, { total }) => sum + total, 0),
      silent: await this.summaries.latestSilent(connection, projectIds, missedIntervals, newest),
      outdatedCount: await this.summaries.outdated(connection, projectIds),
    };
  }

  /** Counts the agents of all owners by their health. */
  async fleetByHealth(connection: Connection): Promise<Record<HealthState, number>> {
    return countsByHealth(await this.summaries.fleet(connection, this.presence.missedIntervals));
  }
}

function countsByHealth(counts: readonly WorkloadCount[]): Record<HealthState, number> {
  return countsBy(counts, HEALTH_STATES, ({ workload, connection }) => {
    const { online, silent } = HEALTH[workload];
    return connection === 'online' ? online : silent;
  });
}

function countsBy<Key extends string>(
  counts: readonly WorkloadCount[],
  keys: readonly Key[],
  keyOf: (count: WorkloadCount) => Key,
): Record<Key, number> {
  const sums = Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
  for (const each of counts) sums[keyOf(each)] += each.total;
  return sums;
}

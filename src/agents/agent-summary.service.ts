import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH,
  HEALTH_STATES,
  type HealthState,
  type Workload,
} from '../lifecycle/agent-health.js';
import type { AgentSummary } from './agent.types.js';
import { AgentSummaryRepository, type WorkloadCounts } from './agent-summary.repository.js';
import { PresenceService } from './presence.service.js';

@Injectable()
export class AgentSummaryService {
  constructor(
    private readonly summaries: AgentSummaryRepository,
    private readonly presence: PresenceService,
  ) {}

  /** @param newest how many of the agents that fell silent are named */
  async summary(connection: Connection, userId: string, newest: number): Promise<AgentSummary> {
    const counts = await this.summaries.counts(connection, userId, this.presence.missedIntervals, newest);
    const silent = counts[0]?.silent ?? [];
    return {
      byHealth: countsByHealth(counts),
      byConnection: countsBy<AgentConnection>(counts, AGENT_CONNECTIONS, (_, each) => each),
      silent: silent.length === 0 ? [] : await this.summaries.heardOf(connection, silent),
    };
  }

  /** All agents by their health, whoever owns them. */
  async fleetByHealth(connection: Connection): Promise<Record<HealthState, number>> {
    return countsByHealth(await this.summaries.fleet(connection, this.presence.missedIntervals));
  }
}

function countsByHealth(counts: readonly WorkloadCounts[]): Record<HealthState, number> {
  return countsBy(counts, HEALTH_STATES, (workload, connection) => {
    const { online, silent } = HEALTH[workload];
    return connection === 'online' ? online : silent;
  });
}

function countsBy<Key extends string>(
  counts: readonly WorkloadCounts[],
  keys: readonly Key[],
  keyOf: (workload: Workload, connection: AgentConnection) => Key,
): Record<Key, number> {
  const sums = Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
  for (const each of counts)
    for (const connection of AGENT_CONNECTIONS) sums[keyOf(each.workload, connection)] += each[connection];
  return sums;
}

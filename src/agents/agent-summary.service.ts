import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import {
  AGENT_CONNECTIONS,
  type AgentConnection,
  HEALTH,
  HEALTH_STATES,
  type HealthState,
} from '../lifecycle/agent-health.js';
import type { AgentSummary } from './agent.types.js';
import { type AgentGroup, AgentSummaryRepository } from './agent-summary.repository.js';
import { PresenceService } from './presence.service.js';

@Injectable()
export class AgentSummaryService {
  constructor(
    private readonly summaries: AgentSummaryRepository,
    private readonly presence: PresenceService,
  ) {}

  /** @param newest how many of the agents that fell silent are named */
  async summary(connection: Connection, userId: string, newest: number): Promise<AgentSummary> {
    const groups = await this.summaries.groups(connection, userId, this.presence.missedIntervals, newest);
    const silent = groups[0]?.silent ?? [];
    return {
      byHealth: countsBy<HealthState>(groups, HEALTH_STATES, (group) => {
        const { online, silent: away } = HEALTH[group.workload];
        return group.connection === 'online' ? online : away;
      }),
      byConnection: countsBy<AgentConnection>(groups, AGENT_CONNECTIONS, (group) => group.connection),
      silent: silent.length === 0 ? [] : await this.summaries.heardOf(connection, silent),
    };
  }
}

function countsBy<Key extends string>(
  groups: readonly AgentGroup[],
  keys: readonly Key[],
  keyOf: (group: AgentGroup) => Key,
): Record<Key, number> {
  const counts = Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
  for (const group of groups) counts[keyOf(group)] += group.count;
  return counts;
}

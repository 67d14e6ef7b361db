import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { ListReads } from '../http/list-reads.js';
import { projectsFor } from '../http/required-role.js';
import type { HealthState } from '../lifecycle/agent-health.js';
import { healthByHour } from '../lifecycle/health-hours.js';
import { type AgentPast, HealthHoursRepository, MOST_STEPS } from './health-hours.repository.js';

/** The number of hours, the one that runs included. */
export const HOURS = 24;

/** The health of an agent by the hour, oldest first; the last one is the current hour. */
export interface AgentHours {
  readonly agentId: string;
  readonly hours: readonly HealthState[];
}

@Injectable()
export class HealthHoursService {
  constructor(
    private readonly past: HealthHoursRepository,
    private readonly lists: ListReads,
  ) {}

  /**
   * The health in the last day of those of these agents that belong to the caller's projects, or to one of them.
   *
   * @throws NotFoundError if the caller sees no such project
   */
  async list(
    caller: UserPrincipal,
    agentIds: readonly string[],
    projectId: string | undefined,
  ): Promise<AgentHours[]> {
    const projectIds = projectsFor(caller, projectId);
    const rows = await this.lists.search(caller.userId, (connection) =>
      this.past.read(connection, agentIds, projectIds, HOURS),
    );
    return rows.map((row) => ({ agentId: row.agentId, hours: hoursOf(row) }));
  }
}

/** The hours since the agent's creation; of an agent with more steps than are read, those after the first of these. */
function hoursOf({ createdHour, deployments, steps }: AgentPast): HealthState[] {
  const unknown = steps.length < MOST_STEPS ? 0 : steps[0]!.hour + 1;
  return healthByHour(HOURS, deployments, steps).slice(Math.max(createdHour, unknown, 0));
}

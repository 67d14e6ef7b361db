import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { namesReader, readActorNames } from '../http/actor-names.js';
import { Database } from '../database/database.js';
import { AgentTimelineRepository } from './agent-timeline.repository.js';
import type { NamedEntry, TimelineRange } from './agent-timeline.types.js';

/** Says what happened to an agent: steps of its deployments, runs, approvals, saved configs and steps of its budgets. */
@Injectable()
export class AgentTimelineService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly timeline: AgentTimelineRepository,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError if the caller has no such agent */
  async read(caller: UserPrincipal, agentId: string, range: TimelineRange): Promise<NamedEntry[]> {
    await this.agents.assertWithin(ownReachOf(caller), agentId);
    const { manager } = this.database.people;
    const entries = await this.timeline.read(manager, agentId, range);
    const actors = entries.map(({ actor }) => actor);
    const namesOf = await readActorNames(manager, namesReader(caller), actors);
    return entries.map((entry) => ({ ...entry, ...namesOf(entry.actor) }));
  }
}

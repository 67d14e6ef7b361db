import { Injectable } from '@nestjs/common';
import { ownReachOf, type UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { Database } from '../database/database.js';
import { AgentTimelineRepository } from './agent-timeline.repository.js';
import type { TimelineEntry, TimelineRange } from './agent-timeline.types.js';

/** Says what happened to an agent: steps of its deployments, runs, approvals and saved configs. */
@Injectable()
export class AgentTimelineService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly timeline: AgentTimelineRepository,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError if the caller has no such agent */
  async read(caller: UserPrincipal, agentId: string, range: TimelineRange): Promise<TimelineEntry[]> {
    await this.agents.assertWithin(ownReachOf(caller), agentId);
    return this.timeline.read(this.database.people.manager, agentId, range);
  }
}

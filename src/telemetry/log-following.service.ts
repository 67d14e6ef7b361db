import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AgentProjectsService } from '../agents/agent-projects.service.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { LOGGER } from '../config/injection-tokens.js';
import type { OpenFeed } from '../live/live-stream.js';
import { LivePollers } from '../live/live-pollers.js';
import { LogSourcesService } from './log-sources.service.js';
import { LogsRepository } from './logs.repository.js';
import type { StoredLog } from './telemetry.types.js';

/** Separator between the ids of agents in the name of a poller. */
const SEPARATOR = ',';

/** Follows logs in the order in which they are committed. */
@Injectable()
export class LogFollowingService {
  private readonly pollers: LivePollers<StoredLog>;

  constructor(
    private readonly agents: AgentReadingService,
    private readonly projects: AgentProjectsService,
    private readonly sources: LogSourcesService,
    logs: LogsRepository,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.pollers = new LivePollers(
      (target) => sources.ofAgents(target.split(SEPARATOR)),
      (error) => logger.debug({ err: error }, 'logs could not be read for live streams'),
    );
    logs.onInserted((agentIds) => agentIds.forEach((agentId) => this.pollers.wake(agentId)));
  }

  /**
   * Opens a reader. A stream of several agents is not woken by an insertion: it reads every second.
   *
   * @param agentIds at least one
   * @param from a position from a stream; null: now
   * @throws NotFoundError if the caller does not see one of the agents; InvalidError
   */
  async follow(
    caller: UserPrincipal,
    agentIds: readonly string[],
    from: string | null,
  ): Promise<OpenFeed<StoredLog>> {
    await this.agents.assertAllSeen(ownReachOf(caller), agentIds);
    const followed = [...new Set(agentIds)].sort();
    const position = from === null ? null : await this.sources.known(followed, from);
    return {
      projects: () => this.projects.of(followed),
      reader: await this.pollers.follow(followed.join(SEPARATOR), position),
    };
  }
}

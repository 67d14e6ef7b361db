import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { LOGGER } from '../config/logger.js';
import { InvalidError } from '../errors/domain-error.js';
import { LivePollers } from '../live/live-pollers.js';
import type { Subscribe } from '../live/live-source.js';
import { LogSources } from './log-sources.service.js';
import { LogsRepository } from './logs.repository.js';
import type { StoredLog } from './telemetry.types.js';

/** Logs as they are written, in the order in which they became visible. */
@Injectable()
export class LogFollowing {
  private readonly pollers: LivePollers<StoredLog>;

  constructor(
    private readonly agents: AgentReadingService,
    private readonly sources: LogSources,
    logs: LogsRepository,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.pollers = new LivePollers(
      (agentId) => sources.ofAgent(agentId),
      (error) => logger.debug({ err: error }, 'logs were not read for live streams'),
    );
    logs.onInserted((agentIds) => agentIds.forEach((agentId) => this.pollers.wake(agentId)));
  }

  /**
   * @param from a position that a stream has given out; null: now
   * @throws NotFoundError where the user has no such agent; InvalidError
   */
  async follow(userId: string, agentId: string, from: string | null): Promise<Subscribe<StoredLog>> {
    await this.agents.assertOwned(userId, agentId);
    if (from !== null && !(await this.sources.isKnown(from))) {
      throw new InvalidError(['Last-Event-ID is not known any more; begin without one']);
    }
    return (subscriber) => this.pollers.subscribe(agentId, subscriber, from);
  }
}

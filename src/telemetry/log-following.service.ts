import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AgentsService } from '../agents/agents.service.js';
import { LOGGER } from '../config/logger.js';
import { CostlyReads } from '../database/costly-reads.js';
import { InvalidError } from '../errors/domain-error.js';
import type { LiveSource } from '../live/live-source.js';
import type { Viewer } from '../live/viewer.js';
import { Watches } from '../live/watches.js';
import { parseLogPosition } from './log-position.js';
import { LogTailRepository } from './log-tail.repository.js';
import { LogsRepository } from './logs.repository.js';
import type { StoredLog } from './telemetry.types.js';

/** Logs as they are written, in the order in which they became visible. */
@Injectable()
export class LogFollowing {
  private readonly watches: Watches<StoredLog>;

  constructor(
    private readonly tail: LogTailRepository,
    private readonly agents: AgentsService,
    logs: LogsRepository,
    costlyReads: CostlyReads,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.watches = new Watches(
      (agentId) => logsOfAgent(agentId, tail, agents, costlyReads),
      (error) => logger.debug({ err: error }, 'logs were not read for live streams'),
    );
    logs.onInserted((agentIds) => agentIds.forEach((agentId) => this.watches.wake(agentId)));
  }

  /**
   * @param from a position that a stream has given out; null: now
   * @throws NotFoundError where the user has no such agent; InvalidError
   */
  async follow(userId: string, agentId: string, from: string | null): Promise<Viewer<StoredLog>> {
    await this.agents.assertOwned(userId, agentId);
    if (from !== null && !(await this.tail.isKnown(parseLogPosition(from)))) {
      throw new InvalidError(['Last-Event-ID is not known any more; begin without one']);
    }
    return this.watches.join(agentId, from);
  }
}

/**
 * What is new is read at once, for all who look. Who comes from further back reads on page after page, as fast as they
 * come where a filter lets nothing through: such reads take turns with the other costly ones of the agent's owner.
 */
function logsOfAgent(
  agentId: string,
  tail: LogTailRepository,
  agents: AgentsService,
  costlyReads: CostlyReads,
): LiveSource<StoredLog> {
  let ownerId: string | undefined;
  return {
    latest: () => tail.now(),
    async read(from, until) {
      if (until === null) return tail.read(agentId, from, null);
      ownerId ??= (await agents.find(agentId, null)).user_id;
      return costlyReads.run(ownerId, () => tail.read(agentId, from, until));
    },
    assertThere: () => agents.find(agentId, null),
  };
}

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { LOGGER } from '../config/injection-tokens.js';
import type { OpenFeed } from '../live/live-stream.js';
import { LivePollers } from '../live/live-pollers.js';
import { assertKnownPosition } from '../live/sequence-source.js';
import { RunReadingService } from '../runs/run-reading.service.js';
import type { RunStreamStart } from './dto/run-stream.js';
import { LogSourcesService } from './log-sources.service.js';
import { LogsRepository } from './logs.repository.js';
import type { RunStreamRow } from './run-stream-page.js';
import { beginningOf, formatRunStreamPosition, parseRunStreamPosition } from './run-stream-position.js';
import { RunStreamSourceService } from './run-stream-source.service.js';

/** Separator between the ids of the agent and the run in the name of a poller. */
const SEPARATOR = '/';

/** Follows runs: their history, progress and log in one. */
@Injectable()
export class RunFollowingService {
  private readonly pollers: LivePollers<RunStreamRow>;

  constructor(
    private readonly runs: RunReadingService,
    private readonly sources: RunStreamSourceService,
    private readonly logSources: LogSourcesService,
    logs: LogsRepository,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.pollers = new LivePollers(
      (target) => sources.ofRun(target.split(SEPARATOR)[1]!),
      (error) => logger.debug({ err: error }, 'a run could not be read for live streams'),
    );
    const wake = (agentId: string) => this.pollers.wakeAll((target) => target.startsWith(agentId));
    sources.onStep(wake);
    logs.onInserted((agentIds) => agentIds.forEach(wake));
  }

  /**
   * Opens a reader.
   *
   * @param from a position from a stream of this run; null: where `start` says
   * @throws NotFoundError if the caller sees no such run; InvalidError
   */
  async follow(
    caller: UserPrincipal,
    runId: string,
    from: string | null,
    start: RunStreamStart = 'beginning',
  ): Promise<OpenFeed<RunStreamRow>> {
    const { id, agentId, lastSequence } = await this.runs.findWithin(ownReachOf(caller), runId);
    let position = start === 'now' ? null : formatRunStreamPosition(beginningOf(agentId));
    if (from !== null) {
      const given = parseRunStreamPosition(from);
      assertKnownPosition(`${given.sequence}`, lastSequence);
      const log = await this.logSources.known([agentId], given.log);
      position = formatRunStreamPosition({ ...given, log });
    }
    return {
      projects: () => this.sources.projectsOf(agentId),
      reader: await this.pollers.follow(`${agentId}${SEPARATOR}${id}`, position),
    };
  }
}

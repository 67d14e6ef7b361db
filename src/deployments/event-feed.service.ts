import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import type { Page } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import type { LiveReader } from '../live/live-poller.js';
import { LivePollers } from '../live/live-pollers.js';
import type { LiveSource } from '../live/live-source.js';
import { assertKnownPosition, sequenceSource } from '../live/sequence-source.js';
import type { DeploymentEventEntity } from './deployment-event.entity.js';
import { DeploymentEventsRepository } from './deployment-events.repository.js';
import { DeploymentReadingService } from './deployment-reading.service.js';

/** Lists and follows lifecycle events in the order in which they happened. */
@Injectable()
export class EventFeedService {
  private readonly ofUsers: LivePollers<DeploymentEventEntity>;
  private readonly ofDeployments: LivePollers<DeploymentEventEntity>;

  constructor(
    private readonly events: DeploymentEventsRepository,
    private readonly deployments: DeploymentReadingService,
    private readonly database: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    const report = (error: unknown) => logger.debug({ err: error }, 'events were not read for live streams');
    this.ofUsers = new LivePollers((userId) => this.sourceOfUser(userId), report);
    this.ofDeployments = new LivePollers((id) => this.sourceOfDeployment(id), report);
    events.onAppended(({ userId, deploymentId }) => {
      this.ofUsers.wake(userId);
      this.ofDeployments.wake(deploymentId);
    });
  }

  /**
   * Lists events, lowest `userSequence` first.
   *
   * @param after a `userSequence`; the events after it are listed
   * @throws InvalidError if the user has no such event yet
   */
  async list(userId: string, after: number, limit: number): Promise<Page<DeploymentEventEntity>> {
    const page = await this.events.listOfUser(this.connection, userId, after, null, limit);
    // A number with later events exists, and so does 0; only an empty page has to be checked against the counter.
    if (page.items.length === 0 && after > 0) {
      assertKnownPosition(
        String(after),
        await this.events.lastUserSequence(this.connection, userId),
        'after',
      );
    }
    return page;
  }

  /**
   * @param from the `userSequence` after which the stream begins; null: now
   * @throws InvalidError
   */
  async followUser(userId: string, from: string | null): Promise<LiveReader<DeploymentEventEntity>> {
    if (from !== null) assertKnownPosition(from, await this.events.lastUserSequence(this.connection, userId));
    return this.ofUsers.follow(userId, from);
  }

  /**
   * @param from the `sequence` after which the stream begins; null: now
   * @throws NotFoundError, InvalidError
   */
  async followDeployment(
    userId: string,
    deploymentId: string,
    from: string | null,
  ): Promise<LiveReader<DeploymentEventEntity>> {
    const { lastSequence } = await this.deployments.findOwned(userId, deploymentId);
    if (from !== null) assertKnownPosition(from, lastSequence);
    return this.ofDeployments.follow(deploymentId, from);
  }

  private sourceOfUser(userId: string): LiveSource<DeploymentEventEntity> {
    return sequenceSource({
      last: () => this.events.lastUserSequence(this.connection, userId),
      list: (after, upTo, limit) => this.events.listOfUser(this.connection, userId, after, upTo, limit),
      numberOf: (event) => event.userSequence,
      assertThere: () => Promise.resolve(),
    });
  }

  private sourceOfDeployment(id: string): LiveSource<DeploymentEventEntity> {
    return sequenceSource({
      last: async () => (await this.deployments.find(id)).lastSequence,
      list: (after, upTo, limit) => this.events.listOfDeployment(this.connection, id, after, upTo, limit),
      numberOf: (event) => event.sequence,
      assertThere: () => this.deployments.find(id),
    });
  }

  private get connection(): Connection {
    return this.database.people.manager;
  }
}

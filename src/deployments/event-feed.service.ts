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

/** Lifecycle events in the order in which they happened: what there is, and what comes. */
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
   * @param after a `userSequence`; what follows it comes, lowest first
   * @throws InvalidError where it was never reached
   */
  async list(userId: string, after: number, limit: number): Promise<Page<DeploymentEventEntity>> {
    const page = await this.events.listOfUser(this.connection, userId, after, null, limit);
    // A number with events after it was reached, and so was 0: only at the end the counter has to be asked.
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
   * @param from the `userSequence` after which to begin; null: now
   * @throws InvalidError
   */
  async followUser(userId: string, from: string | null): Promise<LiveReader<DeploymentEventEntity>> {
    if (from !== null) assertKnownPosition(from, await this.events.lastUserSequence(this.connection, userId));
    return this.ofUsers.follow(userId, from);
  }

  /**
   * @param from the `sequence` after which to begin; null: now
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

import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ownReachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AgentProjectsService } from '../agents/agent-projects.service.js';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import type { Page } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import type { OpenFeed } from '../live/live-stream.js';
import { LivePollers } from '../live/live-pollers.js';
import type { LiveSource } from '../live/live-poller.js';
import { projectFor } from '../http/required-role.js';
import { assertKnownPosition, sequenceSource } from '../live/sequence-source.js';
import type { DeploymentEventEntity, NumberedEvent } from './deployment-event.entity.js';
import { DeploymentReadingService } from './deployment-reading.service.js';
import { EventFeedRepository } from './event-feed.repository.js';

/** Lists and follows lifecycle events in the order in which they happened. */
@Injectable()
export class EventFeedService {
  private readonly ofProjects: LivePollers<NumberedEvent>;
  private readonly ofDeployments: LivePollers<DeploymentEventEntity>;

  constructor(
    private readonly events: EventFeedRepository,
    private readonly deployments: DeploymentReadingService,
    private readonly projects: AgentProjectsService,
    private readonly database: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    const report = (error: unknown) =>
      logger.debug({ err: error }, 'events could not be read for live streams');
    this.ofProjects = new LivePollers((projectId) => this.sourceOfProject(projectId), report);
    this.ofDeployments = new LivePollers((id) => this.sourceOfDeployment(id), report);
    events.onAppended(({ projectId, deploymentId }) => {
      this.ofProjects.wake(projectId);
      this.ofDeployments.wake(deploymentId);
    });
  }

  /**
   * Lists events, lowest `projectSequence` first.
   *
   * @param after a `projectSequence`; the events after it are listed
   * @param named the project; absent: the personal one
   * @throws NotFoundError if the caller sees no such project
   * @throws InvalidError if the project has no such event yet
   */
  async list(
    caller: UserPrincipal,
    named: string | undefined,
    after: number,
    limit: number,
  ): Promise<Page<NumberedEvent>> {
    const projectId = projectFor(ownReachOf(caller), named);
    const page = await this.events.listOfProject(this.connection, projectId, after, null, limit);
    // A number with later events exists, and so does 0; only an empty page has to be checked against the counter.
    if (page.items.length === 0 && after > 0) {
      assertKnownPosition(
        String(after),
        await this.events.lastProjectSequence(this.connection, projectId),
        'after',
      );
    }
    return page;
  }

  /**
   * @param from the `projectSequence` after which the stream begins; null: now
   * @throws InvalidError
   */
  async followProject(
    caller: UserPrincipal,
    named: string | undefined,
    from: string | null,
  ): Promise<OpenFeed<NumberedEvent>> {
    const projectId = projectFor(ownReachOf(caller), named);
    if (from !== null)
      assertKnownPosition(from, await this.events.lastProjectSequence(this.connection, projectId));
    return { projects: () => [projectId], reader: await this.ofProjects.follow(projectId, from) };
  }

  /**
   * @param from the `sequence` after which the stream begins; null: now
   * @throws NotFoundError, InvalidError
   */
  async followDeployment(
    caller: UserPrincipal,
    deploymentId: string,
    from: string | null,
  ): Promise<OpenFeed<DeploymentEventEntity>> {
    const { lastSequence, agentId } = await this.deployments.findWithin(ownReachOf(caller), deploymentId);
    if (from !== null) assertKnownPosition(from, lastSequence);
    return {
      projects: () => this.projects.of([agentId]),
      reader: await this.ofDeployments.follow(deploymentId, from),
    };
  }

  private sourceOfProject(projectId: string): LiveSource<NumberedEvent> {
    return sequenceSource({
      last: () => this.events.lastProjectSequence(this.connection, projectId),
      list: (after, upTo, limit) => this.events.listOfProject(this.connection, projectId, after, upTo, limit),
      numberOf: (event) => event.projectSequence,
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

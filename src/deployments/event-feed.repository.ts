import { Injectable } from '@nestjs/common';
import { LessThanOrEqual, MoreThan, type SelectQueryBuilder } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import type { Page } from '../database/page.js';
import { readPage } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { DeploymentEventEntity, type NumberedEvent } from './deployment-event.entity.js';
import {
  type AppendHandler,
  BYTES_OF_AN_EVENT,
  DeploymentEventsRepository,
  selectEvents,
} from './deployment-events.repository.js';
import { EventNumbersRepository } from './event-numbers.repository.js';
import { ProjectEventCounterEntity } from './project-event-counter.entity.js';

/** Reads events in the order in which they happened. Those of a project get their numbers before. */
@Injectable()
export class EventFeedRepository {
  constructor(
    private readonly events: DeploymentEventsRepository,
    private readonly numbers: EventNumbersRepository,
  ) {}

  /** Registers a handler, which is called with each event that this instance has committed. */
  onAppended(handler: AppendHandler): void {
    this.events.onAppended(handler);
  }

  /** The number of the project's latest event; 0 before the first one. */
  async lastProjectSequence(connection: Connection, projectId: string): Promise<number> {
    await this.numbers.catchUp(connection, projectId);
    const row = await selectRows(connection, ProjectEventCounterEntity, 'counter', ['lastSequence'])
      .where({ projectId })
      .getRawOne<Pick<ProjectEventCounterEntity, 'lastSequence'>>();
    return row?.lastSequence ?? 0;
  }

  /** Lists the events of all the project's deployments, including removed ones, lowest number first. */
  async listOfProject(
    connection: Connection,
    projectId: string,
    after: number,
    upTo: number | null,
    limit: number,
  ): Promise<Page<NumberedEvent>> {
    await this.numbers.catchUp(connection, projectId);
    const events = selectEvents(connection).where({ projectId });
    return listAscending(connection, events, 'projectSequence', after, upTo, limit);
  }

  /** Lists the events of a deployment, lowest sequence first. */
  listOfDeployment(
    connection: Connection,
    deploymentId: string,
    after: number,
    upTo: number | null,
    limit: number,
  ): Promise<Page<DeploymentEventEntity>> {
    const events = selectEvents(connection).where({ deploymentId });
    return listAscending(connection, events, 'sequence', after, upTo, limit);
  }
}

/** The unique constraint that ends with the position is the index for this read. */
function listAscending<Row extends DeploymentEventEntity>(
  connection: Connection,
  events: SelectQueryBuilder<DeploymentEventEntity>,
  position: 'projectSequence' | 'sequence',
  after: number,
  upTo: number | null,
  limit: number,
): Promise<Page<Row>> {
  events.andWhere({ [position]: MoreThan(after) });
  if (upTo !== null) events.andWhere({ [position]: LessThanOrEqual(upTo) });
  events.orderBy(`event.${position}`);
  return readPage(connection, events, { skip: 0, limit, includeTotal: false }, BYTES_OF_AN_EVENT);
}

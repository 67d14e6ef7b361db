import { targetOf } from '../audit-log/audited-act.js';
import { reached } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import { type Reach, reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { NotFoundError } from '../errors/domain-error.js';
import { type ActorNames, namesReader, withActorNames } from '../http/actor-names.js';
import { ListReads } from '../http/list-reads.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { ShownEvent } from './deployment-event.entity.js';
import {
  DeploymentEventsRepository,
  type EventFilter,
  isFilteredHistory,
} from './deployment-events.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** A step with the names of its actor. */
export type NamedEvent = ShownEvent & ActorNames;

/** Part of a deployment's history, with the deployment's current state. */
export interface History {
  readonly deployment: DeploymentEntity;
  readonly events: Page<NamedEvent>;
}

/** Reads deployments for people. */
@Injectable()
export class DeploymentReadingService {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly events: DeploymentEventsRepository,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {}

  /** @throws NotFoundError if there is no such deployment within the reach */
  async findWithin(reach: Reach, id: string): Promise<DeploymentEntity> {
    if (reach.kind === 'everybody') return this.find(id);
    const found = await this.deployments.findOwned(this.database.people.manager, reach.projectIds, id);
    return reached(reach, found, 'Deployment');
  }

  /** Reads a deployment for a person. An operator's read in a project that is not theirs is audited. @throws NotFoundError */
  async read(caller: UserPrincipal, id: string): Promise<DeploymentEntity> {
    const deployment = await this.findWithin(reachOf(caller), id);
    this.auditLog.read(caller, 'deployment.read', targetOf('deployment', deployment));
    return deployment;
  }

  /**
   * Finds a deployment of any project, for callers who may reach all of them or were found to see it. @throws
   * NotFoundError
   */
  async find(id: string): Promise<DeploymentEntity> {
    const deployment = await this.deployments.find(this.database.people.manager, id);
    if (!deployment) throw new NotFoundError('Deployment');
    return deployment;
  }

  /** Reads a deployment with part of its history; see {@link read}. */
  async history(
    caller: UserPrincipal,
    id: string,
    filter: EventFilter,
    request: PageRequest,
  ): Promise<History> {
    const deployment = await this.read(caller, id);
    // The total of a filtered history must be counted.
    const isFiltered = isFilteredHistory(filter);
    // The total without a filter is known: it is the last sequence.
    const part = { ...request, includeTotal: false };
    const events = await this.lists.page(caller.userId, part, isFiltered, async (connection) => {
      const page = await this.events.list(connection, id, filter, request, deployment.lastSequence);
      return withActorNames(connection, namesReader(caller), page);
    });
    return { deployment, events };
  }
}

import { targetOf } from '../audit-log/audited-act.js';
import { reached } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import { type Reach, reachOf, type UserPrincipal } from '../access/principal.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { BatchedRead } from '../database/batched-read.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import type { DeploymentEntity } from './deployment.entity.js';
import type { DeploymentEventEntity } from './deployment-event.entity.js';
import {
  DeploymentEventsRepository,
  type EventFilter,
  isFilteredHistory,
} from './deployment-events.repository.js';
import { DeploymentsRepository, type MentionedDeployments } from './deployments.repository.js';

/** Part of a deployment's history, with the deployment's current state. */
export interface History {
  readonly deployment: DeploymentEntity;
  readonly events: Page<DeploymentEventEntity>;
}

/** Maximum number of deployments in the reply about an agent. */
const LATEST = 100;
const LENGTH_OF_AN_ID = 36;

@Injectable()
export class DeploymentReadingService {
  /** Batched look-up of the deployments that a heartbeat, or a batch of logs or metrics, refers to. */
  private readonly mentions: BatchedRead<MentionedDeployments, DeploymentEntity[]>;

  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly events: DeploymentEventsRepository,
    private readonly lists: ListReads,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
  ) {
    this.mentions = new BatchedRead(
      'mentioned deployments',
      (questions) => deployments.findMentioned(database.runtimes.manager, questions),
      { weightOf: ({ mentioned }) => mentioned.length * LENGTH_OF_AN_ID },
    );
  }

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
    return existing(await this.deployments.find(this.database.people.manager, id));
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
    const events = await this.lists.page(caller.userId, part, isFiltered, (connection) =>
      this.events.list(connection, id, filter, request, deployment.lastSequence),
    );
    return { deployment, events };
  }

  /**
   * Reads the latest deployments of any number of agents in one statement. @returns the latest hundred of each, newest
   * first
   */
  latestOf(connection: Connection, agentIds: readonly string[]): Promise<DeploymentEntity[][]> {
    return this.deployments.latestOf(connection, agentIds, LATEST);
  }

  /** The active deployments of an agent, newest first. */
  activeOf(connection: Connection, agentId: string): Promise<DeploymentEntity[]> {
    return this.deployments.activeOf(connection, agentId);
  }

  /** Returns the agent's own deployments among these ids, without the name of the agent. */
  mentioned(agentId: string, mentioned: readonly string[]): Promise<DeploymentEntity[]> {
    return this.mentions.read({ agentId, mentioned });
  }

  /** Ids of the agent's own deployments among those to which its entries refer. */
  async ownedAmong(agentId: string, mentioned: readonly string[]): Promise<ReadonlySet<string>> {
    const owned = await this.mentioned(agentId, mentioned);
    return new Set(owned.map(({ id }) => id));
  }
}

function existing(deployment: DeploymentEntity | null): DeploymentEntity {
  if (!deployment) throw new NotFoundError('Deployment');
  return deployment;
}

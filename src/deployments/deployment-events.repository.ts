import type { Actor } from '../access/principal.js';
import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { USUAL_PAGE } from '../budget/list-limits.js';
import { selectRows } from '../database/entity-rows.js';
import { Page, type PageRequest } from '../database/page.js';
import { isFirstPage, PreparedQuery } from '../database/prepared-query.js';
import { type Place, readNewest, sentBytes } from '../database/read-page.js';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import { type Connection, onCommit, type Transaction } from '../database/transaction.js';
import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEventEntity, type ShownEvent } from './deployment-event.entity.js';

export interface EventFilter {
  readonly eventType?: string;
  readonly status?: DeploymentStatus;
  /** Inclusive. */
  readonly since?: Date;
  /** Exclusive. */
  readonly until?: Date;
}

export const isFilteredHistory = (filter: EventFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

/** The columns that a deployment's history shows. */
const SHOWN: readonly (keyof ShownEvent)[] = [
  'id',
  'projectId',
  'deploymentId',
  'sequence',
  'eventType',
  'status',
  'previousStatus',
  'replicas',
  'actor',
  'nodeId',
  'errorMessage',
  'createdAt',
];

export type NewEvent = Omit<DeploymentEventEntity, 'position' | 'projectSequence' | 'createdAt'>;

export type AppendHandler = (event: Pick<NewEvent, 'projectId' | 'deploymentId'>) => void;

/** SQL for the bytes of the texts that runtimes and owners have written. */
export const BYTES_OF_AN_EVENT = sentBytes('"eventType"', '"nodeId"', '"errorMessage"');

const APPEND: PreparedStatement = {
  name: 'append_event',
  text: `INSERT INTO deployment_events (id, user_id, agent_id, deployment_id, sequence, event_type, status,
      previous_status, replicas, actor, node_id, error_message)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
};

/** Query for the first page of the usual size, which is too short to need a bound of its bytes: the reply has one. */
const NEWEST_EVENTS = new PreparedQuery('newest_events', ['deploymentId', 'first'], (connection) =>
  selectShown(connection)
    // The lower bound is needed: without it, the generic plan expects few events, reads all of a long history, and
    // sorts them.
    .where('event.deploymentId = :deploymentId AND event.sequence >= :first')
    .orderBy('event.sequence', 'DESC')
    .limit(USUAL_PAGE.ofHistory + 1),
);

/** The events of a deployment are in the order of their numbers. Those after one that retention has deleted are deleted, too. */
const BY_SEQUENCE: Place<ShownEvent> = {
  column: 'event.sequence',
  isAfter: 'event.sequence < (SELECT sequence FROM deployment_events WHERE id = :before)',
  valueOf: ({ id }) => id,
};

@Injectable()
export class DeploymentEventsRepository {
  private readonly appendHandlers: AppendHandler[] = [];

  /** Registers a handler, which is called with each event that this instance has committed. */
  onAppended(handler: AppendHandler): void {
    this.appendHandlers.push(handler);
  }

  /**
   * Adds an event, which gets its number in the project after the commit, see {@link EventNumbersRepository}. The caller
   * has locked the deployment.
   */
  async append(tx: Transaction, event: NewEvent): Promise<void> {
    const values = [
      event.id,
      event.projectId,
      event.agentId,
      event.deploymentId,
      event.sequence,
      event.eventType,
      event.status,
      event.previousStatus,
      event.replicas,
      event.actor,
      event.nodeId,
      event.errorMessage,
    ];
    await rowsOf(tx, APPEND, values);
    onCommit(tx, () => this.appendHandlers.forEach((handler) => handler(event)));
  }

  /** The creator of a deployment; null if retention has deleted its first event. */
  async creatorOf(connection: Connection, deploymentId: string): Promise<Actor | null> {
    const first = await selectRows(connection, DeploymentEventEntity, 'event', ['actor'])
      .where({ deploymentId, sequence: 1 })
      .getRawOne<{ actor: Actor }>();
    return first?.actor ?? null;
  }

  /**
   * Lists the events of a deployment, highest sequence first. The total is counted only if there is a filter; without
   * one it is known.
   */
  async list(
    connection: Connection,
    deploymentId: string,
    filter: EventFilter,
    request: PageRequest,
    lastSequence: number,
  ): Promise<Page<ShownEvent>> {
    const { eventType, status, since, until } = filter;
    const includeTotal = isFilteredHistory(filter);
    const part = { ...request, includeTotal };
    if (isFirstPage(part, USUAL_PAGE.ofHistory)) {
      const values = { deploymentId, first: lastSequence - part.limit };
      const rows = await NEWEST_EVENTS.rows<ShownEvent>(connection, values);
      return Page.of(rows, part, lastSequence).continuedBy((row) => ({ before: BY_SEQUENCE.valueOf(row) }));
    }
    const newestFirst = selectShown(connection).where({
      deploymentId,
      ...(eventType && { eventType }),
      ...(status && { status }),
    });
    // The rows of one deployment are read by its index; retention bounds them.
    if (since) newestFirst.andWhere('event.createdAt >= :since', { since });
    if (until) newestFirst.andWhere('event.createdAt < :until', { until });
    const page = await readNewest(connection, newestFirst, part, BYTES_OF_AN_EVENT, BY_SEQUENCE);
    return includeTotal ? page : page.outOf(lastSequence);
  }
}

function selectShown(connection: Connection): SelectQueryBuilder<DeploymentEventEntity> {
  return selectRows(connection, DeploymentEventEntity, 'event', SHOWN);
}

export function selectEvents(connection: Connection): SelectQueryBuilder<DeploymentEventEntity> {
  return selectRows(connection, DeploymentEventEntity, 'event');
}

import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import type { DeploymentStatus, EventType } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEventEntity } from './deployment-event.entity.js';

export interface EventFilter {
  readonly eventType?: string;
  readonly status?: DeploymentStatus;
}

export type NewEvent = Omit<DeploymentEventEntity, 'id' | 'userSequence' | 'createdAt'> & {
  readonly eventType: EventType;
};

type AppendHandler = (event: Pick<NewEvent, 'userId' | 'deploymentId'>) => void;

@Injectable()
export class DeploymentEventsRepository {
  private readonly appendHandlers: AppendHandler[] = [];

  constructor(private readonly transactor: Transactor) {}

  /** Calls back with each event that this instance has committed. */
  onAppended(handler: AppendHandler): void {
    this.appendHandlers.push(handler);
  }

  /**
   * Adds an event as the next one of its user. The counter's row stays locked until the commit, so whoever sees a
   * number also sees all smaller ones, for good. All transitions of a user take turns at that row: it must be the
   * last lock that a transition takes.
   */
  async append(tx: Transaction, event: NewEvent): Promise<void> {
    await rowsOf(
      tx,
      `WITH counter AS (
         INSERT INTO user_event_counters AS counter (user_id, last_sequence) VALUES ($2, 1)
         ON CONFLICT (user_id) DO UPDATE SET last_sequence = counter.last_sequence + 1
         RETURNING last_sequence
       )
       INSERT INTO deployment_events (id, user_id, user_sequence, agent_id, deployment_id, sequence, event_type,
         status, previous_status, replicas, actor, node_id, error_message)
       SELECT $1, $2, last_sequence, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 FROM counter`,
      [
        uuidv7(),
        event.userId,
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
      ],
    );
    this.transactor.onCommit(tx, () => {
      for (const handler of this.appendHandlers) handler(event);
    });
  }

  /** Highest sequence first. The total is counted only where a filter makes it unknown. */
  async list(
    deploymentId: string,
    filter: EventFilter,
    request: PageRequest,
    lastSequence: number,
  ): Promise<Page<DeploymentEventEntity>> {
    const query = this.transactor.reader
      .getRepository(DeploymentEventEntity)
      .createQueryBuilder('event')
      .where('event.deploymentId = :deploymentId', { deploymentId })
      .orderBy('event.sequence', 'DESC');
    if (filter.eventType) query.andWhere('event.eventType = :eventType', { eventType: filter.eventType });
    if (filter.status) query.andWhere('event.status = :status', { status: filter.status });
    const isFiltered = filter.eventType !== undefined || filter.status !== undefined;
    const total = isFiltered ? await query.getCount() : lastSequence;
    const rows = await query
      .offset(request.skip)
      .limit(request.limit + 1)
      .getMany();
    return Page.of(rows, request, total);
  }

  /**
   * Deletes events that happened before a time, oldest first.
   *
   * @param before ids sort by time, so one that stands for the time is all that is needed
   * @returns how many, at most `limit`
   */
  async deleteBefore(before: string, limit: number): Promise<number> {
    const rows = await rowsOf(
      this.transactor.reader,
      `DELETE FROM deployment_events WHERE id IN (
         SELECT id FROM deployment_events WHERE id < $1 ORDER BY id LIMIT $2)
       RETURNING id`,
      [before, limit],
    );
    return rows.length;
  }
}

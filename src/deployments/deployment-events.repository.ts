import { Injectable } from '@nestjs/common';
import { Page, type PageRequest } from '../database/page.js';
import { rowsOf } from '../database/sql.js';
import { type Connection, onCommit, type Transaction } from '../database/transaction.js';
import type { DeploymentStatus } from '../lifecycle/deployment-lifecycle.js';
import { DeploymentEventEntity } from './deployment-event.entity.js';

export interface EventFilter {
  readonly eventType?: string;
  readonly status?: DeploymentStatus;
}

export type NewEvent = Omit<DeploymentEventEntity, 'userSequence' | 'createdAt'>;

type AppendHandler = (event: Pick<NewEvent, 'userId' | 'deploymentId'>) => void;

/** As the driver hands it over: a bigint is text. */
type StoredEvent = Omit<DeploymentEventEntity, 'userSequence'> & { readonly userSequence: string };

const EVENT_COLUMNS = `id, user_id AS "userId", user_sequence AS "userSequence", agent_id AS "agentId",
  deployment_id AS "deploymentId", sequence, event_type AS "eventType", status, previous_status AS "previousStatus",
  replicas, actor, node_id AS "nodeId", error_message AS "errorMessage", created_at AS "createdAt"`;

function fromRow(row: StoredEvent): DeploymentEventEntity {
  return { ...row, userSequence: Number(row.userSequence) };
}

@Injectable()
export class DeploymentEventsRepository {
  private readonly appendHandlers: AppendHandler[] = [];

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
        event.id,
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
    onCommit(tx, () => {
      for (const handler of this.appendHandlers) handler(event);
    });
  }

  /** That of the user's latest event; 0 before the first one. */
  async lastUserSequence(connection: Connection, userId: string): Promise<number> {
    const [row] = await rowsOf<{ last: string }>(
      connection,
      'SELECT last_sequence AS last FROM user_event_counters WHERE user_id = $1',
      [userId],
    );
    return Number(row?.last ?? 0);
  }

  /** Those of all the user's deployments, removed ones included, in the order in which they were committed. */
  listOfUser(connection: Connection, userId: string, after: number, upTo: number | null, limit: number) {
    return this.listAscending(connection, 'user_id', 'user_sequence', [userId, after, upTo, limit]);
  }

  /** Lowest sequence first. */
  listOfDeployment(connection: Connection, id: string, after: number, upTo: number | null, limit: number) {
    return this.listAscending(connection, 'deployment_id', 'sequence', [id, after, upTo, limit]);
  }

  /** Highest sequence first. The total is counted only where a filter makes it unknown. */
  async list(
    connection: Connection,
    deploymentId: string,
    filter: EventFilter,
    request: PageRequest,
    lastSequence: number,
  ): Promise<Page<DeploymentEventEntity>> {
    const query = connection
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
   * Deletes events that happened so many days ago, by the database's clock, oldest first.
   *
   * @returns how many, at most `limit`
   */
  async deleteOld(connection: Connection, days: number, limit: number): Promise<number> {
    const rows = await rowsOf(
      connection,
      `DELETE FROM deployment_events WHERE id = ANY (ARRAY(
         SELECT id FROM deployment_events WHERE created_at < now() - make_interval(days => $1)
         ORDER BY created_at LIMIT $2))
       RETURNING 1`,
      [days, limit],
    );
    return rows.length;
  }

  /** Both columns are constants of the code; the index that begins with them serves the read. */
  private async listAscending(
    connection: Connection,
    owner: 'user_id' | 'deployment_id',
    position: 'user_sequence' | 'sequence',
    parameters: readonly [owner: string, after: number, upTo: number | null, limit: number],
  ): Promise<DeploymentEventEntity[]> {
    const rows = await rowsOf<StoredEvent>(
      connection,
      `SELECT ${EVENT_COLUMNS} FROM deployment_events
       WHERE ${owner} = $1 AND ${position} > $2 AND ($3::bigint IS NULL OR ${position} <= $3)
       ORDER BY ${position} LIMIT $4`,
      [...parameters],
    );
    return rows.map(fromRow);
  }
}

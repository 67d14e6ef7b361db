import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { Actor } from '../access/principal.js';
import { columnsOf, updatedByClock } from '../database/entity-rows.js';
import { newId } from '../database/new-id.js';
import type { Notification } from '../database/revocable-cache.js';
import { rowsOf, withClock } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import type { RunEventType, RunStatus } from '../lifecycle/run-lifecycle.js';
import type { RunChange } from './run-change.js';
import type { RunEventEntity } from './run-event.entity.js';
import { RunEntity } from './run.entity.js';
import { agentName, usageOf } from './runs.repository.js';

/** The same step of several runs. */
export interface WrittenStep {
  readonly event: RunEventType;
  readonly message: string | null;
  readonly runs: readonly {
    readonly id: string;
    readonly actor: Actor;
    readonly previousStatus: RunStatus | null;
  }[];
  /** Sent with the commit, if a run takes the step. */
  readonly notifications: readonly Notification[];
}

/** A run as a step has left it, and the step in its history. */
export interface WrittenRun {
  readonly run: RunEntity;
  readonly event: RunEventEntity;
}

/** TypeORM's type of values knows no column of any JSON. */
type Values = QueryDeepPartialEntity<RunEntity>;

const WRITTEN = `${columnsOf(RunEntity, undefined, 'runs')}, ${agentName('runs.agent_id')} AS "agentName",
  ${usageOf('runs.id')} AS usage`;

/**
 * SQL that writes runs, their history and the news of it. By hand: a step holds its connection, and maybe the row of its agent, for a round
 * trip of each statement.
 *
 * @param write an INSERT or UPDATE of runs that returns their columns
 * @param before number of its parameters
 */
function withStep(write: string, before: number): string {
  const [runIds, ids, previous, actors, event, message, channels, payloads] = [1, 2, 3, 4, 5, 6, 7, 8].map(
    (number) => `$${before + number}`,
  );
  return `WITH runs AS (${write}), event AS (
      INSERT INTO run_events (run_id, id, sequence, event_type, status, previous_status, attempt, actor, message)
      SELECT runs.id, step.id, runs.last_sequence, ${event}::text, runs.status, step.previous_status, runs.attempt,
        step.actor, ${message}::text
      FROM runs JOIN unnest(${runIds}::uuid[], ${ids}::uuid[], ${previous}::text[], ${actors}::text[])
        AS step (run_id, id, previous_status, actor) ON step.run_id = runs.id
      RETURNING run_id, id, created_at
    )
    SELECT ${WRITTEN}, event.id AS "eventId", event.created_at AS "eventAt",
      (SELECT count(pg_notify(channel, payload)) FROM unnest(${channels}::text[], ${payloads}::text[])
        AS news (channel, payload)) AS notified
    FROM runs JOIN event ON event.run_id = runs.id ORDER BY runs.id`;
}

/** Writes the steps of runs. The transaction has locked the agent's row. */
@Injectable()
export class WrittenRunsRepository {
  /** Writes new runs with the first step of each. @returns them in the order of their ids */
  insertAll(tx: Transaction, runs: readonly RunChange[], step: WrittenStep): Promise<WrittenRun[]> {
    const insert = tx
      .createQueryBuilder()
      .insert()
      .into(RunEntity)
      .values(runs as Values[])
      .returning('*');
    return this.write(tx, insert.getQueryAndParameters(), step);
  }

  /** Changes the runs that take a step. @returns them in the order of their ids */
  take(tx: Transaction, change: RunChange, step: WrittenStep): Promise<WrittenRun[]> {
    const ids = step.runs.map(({ id }) => id);
    const [text, parameters] = this.update(tx, ids, change).returning('*').getQueryAndParameters();
    return this.write(tx, [withClock(text), parameters], step);
  }

  /** Changes a run that takes no step. @returns null if it is gone */
  async note(tx: Transaction, id: string, change: RunChange): Promise<RunEntity | null> {
    const [row] = await updatedByClock<RunEntity>(tx, this.update(tx, [id], change).returning(WRITTEN));
    return row ?? null;
  }

  private update(tx: Transaction, ids: readonly string[], change: RunChange) {
    return tx
      .createQueryBuilder()
      .update(RunEntity)
      .set(change as Values)
      .where({ id: In([...ids]) });
  }

  private async write(
    tx: Transaction,
    [write, parameters]: readonly [string, unknown[]],
    { event: eventType, message, runs, notifications }: WrittenStep,
  ): Promise<WrittenRun[]> {
    const rows = await rowsOf<RunEntity & { eventId: string; eventAt: string; notified: number }>(
      tx,
      withStep(write, parameters.length),
      [
        ...parameters,
        runs.map(({ id }) => id),
        runs.map(() => newId()),
        runs.map(({ previousStatus }) => previousStatus),
        runs.map(({ actor }) => actor),
        eventType,
        message,
        notifications.map(({ channel }) => channel),
        notifications.map(({ payload }) => payload),
      ],
    );
    const stepOf = new Map(runs.map((run) => [run.id, run]));
    return rows.map(({ eventId, eventAt, notified: _, ...run }) => {
      const { id: runId, lastSequence: sequence, status, attempt } = run;
      const { actor, previousStatus } = stepOf.get(runId)!;
      const id = eventId;
      return {
        run,
        event: {
          id,
          runId,
          sequence,
          eventType,
          status,
          previousStatus,
          attempt,
          actor,
          message,
          createdAt: eventAt,
        },
      };
    });
  }
}

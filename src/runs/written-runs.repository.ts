import { Injectable } from '@nestjs/common';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { Actor } from '../access/principal.js';
import { columnsOf } from '../database/entity-rows.js';
import { insertSql } from '../database/insert-sql.js';
import { newId } from '../database/new-id.js';
import { idList } from '../database/prepared-query.js';
import type { Notification } from '../database/revocable-cache.js';
import { withClock } from '../database/clock.js';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';
import type { RUN_CREATIONS, RunEventType, RunStatus } from '../lifecycle/run-lifecycle.js';
import type { ParameterizedChange, RunChange } from './run-change.js';
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

type Creation = keyof typeof RUN_CREATIONS;

/** The properties of each new run. Those that are not listed have the defaults of the database. */
const CONTENT = [
  'id',
  'agentId',
  'projectId',
  'name',
  'status',
  'statusSource',
  'source',
  'actor',
  'input',
  'labels',
  'conversationId',
  'traceId',
] as const;
/** The further properties of a new run, by how it comes to be. */
const PROPERTIES = {
  ask: [
    ...CONTENT,
    'retryOf',
    'scheduleId',
    'dueAt',
    'isSerial',
    'priority',
    'timeoutSeconds',
    'maxAttempts',
    'firstDelaySeconds',
    'retriesAbandoned',
    'expiresAt',
    'availableAt',
  ],
  begin: [
    ...CONTENT,
    'deploymentId',
    'configVersion',
    'runKey',
    'attempt',
    'progress',
    'waitingReason',
    'startedAt',
    'lastSeenAt',
  ],
} as const satisfies Record<Creation, readonly (keyof RunEntity)[]>;

/** A new run that is queued. `availableAt`: null is now, and so is a time before. */
export type QueuedRun = Omit<Pick<RunEntity, (typeof PROPERTIES)['ask'][number]>, 'availableAt'> & {
  readonly availableAt: string | null;
};
/** A new run that its agent has begun. `startedAt`: null is now, and so is a time after. */
export type BegunRun = Omit<Pick<RunEntity, (typeof PROPERTIES)['begin'][number]>, 'lastSeenAt'>;

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
      FROM runs JOIN unnest((SELECT ${runIds}::uuid[]), (SELECT ${ids}::uuid[]), (SELECT ${previous}::text[]), (SELECT ${actors}::text[]))
        AS step (run_id, id, previous_status, actor) ON step.run_id = runs.id
      RETURNING run_id, id, created_at
    )
    SELECT ${WRITTEN}, event.id AS "eventId", event.created_at AS "eventAt",
      (SELECT count(pg_notify(channel, payload)) FROM unnest((SELECT ${channels}::text[]), (SELECT ${payloads}::text[]))
        AS news (channel, payload)) AS notified
    FROM runs JOIN event ON event.run_id = runs.id ORDER BY runs.id`;
}

/** Times by the database's clock, because those of people and agents may be wrong. A run that was due earlier would come before older ones. */
const BOUNDED_TIMES = {
  availableAt: 'greatest(now(), "availableAt")',
  startedAt: 'least(now(), "startedAt")',
  lastSeenAt: 'now()',
};
const insertOf = (how: Creation): PreparedStatement => ({
  name: `insert_runs_${how}`,
  text: withStep(`${insertSql(RunEntity, PROPERTIES[how], BOUNDED_TIMES)} RETURNING *`, 1),
});
/** Prepared, because its plan takes PostgreSQL longer than the rest of a request for a run. */
const INSERTS: Readonly<Record<Creation, PreparedStatement>> = {
  ask: insertOf('ask'),
  begin: insertOf('begin'),
};

type Row = RunEntity & { readonly eventId: string; readonly eventAt: string; readonly notified: number };

/** Writes the steps of runs. The transaction has locked the agent's row. */
@Injectable()
export class WrittenRunsRepository {
  /** The names of prepared UPDATEs by their texts: one for each action and the columns that it sets, some thirty in all. */
  private readonly names = new Map<string, string>();

  /** Writes new runs with the first step of each. @returns them in the order of their ids */
  async insertAll(
    tx: Transaction,
    how: Creation,
    runs: readonly (QueuedRun | BegunRun)[],
    step: WrittenStep,
  ): Promise<WrittenRun[]> {
    const values = [JSON.stringify(runs), ...valuesOf(step)];
    return writtenRuns(step, await rowsOf<Row>(tx, INSERTS[how], values));
  }

  /** Changes the runs that take a step. @returns them in the order of their ids */
  async take(tx: Transaction, change: ParameterizedChange, step: WrittenStep): Promise<WrittenRun[]> {
    const ids = step.runs.map(({ id }) => id);
    const [text, parameters]: [string, unknown[]] = updateOf(tx, ids, change)
      .returning('*')
      .getQueryAndParameters();
    const values = [...parameters, ...valuesOf(step)];
    return writtenRuns(step, await this.rows(tx, withStep(withClock(text), parameters.length), values));
  }

  /** Changes a run that takes no step. @returns null if it is gone */
  async note(tx: Transaction, id: string, change: RunChange): Promise<RunEntity | null> {
    const update = updateOf(tx, [id], { change, parameters: {} }).returning(WRITTEN);
    const [text, parameters] = update.getQueryAndParameters();
    const [row] = await this.rows(tx, withClock(text), parameters);
    return row ?? null;
  }

  private rows(tx: Transaction, text: string, values: unknown[]): Promise<Row[]> {
    const name = this.names.get(text) ?? `write_runs_${this.names.size}`;
    this.names.set(text, name);
    return rowsOf<Row>(tx, { name, text }, values);
  }
}

function updateOf(tx: Transaction, ids: readonly string[], { change, parameters }: ParameterizedChange) {
  return tx
    .createQueryBuilder()
    .update(RunEntity)
    .set(change as Values)
    .where(`id = ANY (${idList('ids')})`, { ids })
    .setParameters(parameters);
}

/** The values of the parameters of {@link withStep}. */
function valuesOf({ event, message, runs, notifications }: WrittenStep): unknown[] {
  return [
    runs.map(({ id }) => id),
    runs.map(() => newId()),
    runs.map(({ previousStatus }) => previousStatus),
    runs.map(({ actor }) => actor),
    event,
    message,
    notifications.map(({ channel }) => channel),
    notifications.map(({ payload }) => payload),
  ];
}

function writtenRuns({ event: eventType, message, runs }: WrittenStep, rows: readonly Row[]): WrittenRun[] {
  const stepOf = new Map(runs.map((run) => [run.id, run]));
  return rows.map(({ eventId: id, eventAt: createdAt, notified: _, ...run }) => {
    const { id: runId, lastSequence: sequence, status, attempt } = run;
    const { actor, previousStatus } = stepOf.get(runId)!;
    const event = {
      id,
      runId,
      sequence,
      eventType,
      status,
      previousStatus,
      attempt,
      actor,
      message,
      createdAt,
    };
    return { run, event };
  });
}

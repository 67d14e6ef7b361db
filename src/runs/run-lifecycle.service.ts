import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { type Actor } from '../access/principal.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import {
  isHeld,
  isOpen,
  nextRunStatus,
  retryDelayOf,
  RUN_CREATIONS,
  RUN_TRANSITIONS,
  type RunAction,
  type RunEventType,
} from '../lifecycle/run-lifecycle.js';
import { instruments } from '../observability/instruments.js';
import { sourceOf } from '../lifecycle/deployment-lifecycle.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { changeOf, notedChange } from './run-change.js';
import { toRunEventResponse } from './run-event.response.js';
import { RunQueueService } from './run-queue.service.js';
import type { RunEntity } from './run.entity.js';
import { toRunResponse, toRunSummary } from './run.response.js';
import type { RunDetails } from './run.types.js';
import { type RunTime, RunTimeRepository } from './run-time.repository.js';
import {
  type BegunRun,
  type QueuedRun,
  type WrittenRun,
  WrittenRunsRepository,
} from './written-runs.repository.js';

const endedRuns = new Counter({
  name: 'control_plane_runs_ended_total',
  help: 'Ends of runs stored by this instance, by status; a late actual end counts in addition to the presumed one',
  labelNames: ['status'],
  registers: [instruments],
});

const runSeconds = new Histogram({
  name: 'control_plane_run_seconds',
  help: 'How long attempts of runs have waited since they were due, and how long they took',
  labelNames: ['phase'],
  buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
  registers: [instruments],
});

/** A new run without the properties that follow from the step. */
export type NewRun<Run extends QueuedRun | BegunRun> = Omit<Run, 'status' | 'statusSource' | 'actor'> & {
  readonly actor: Actor;
};

/** Acts of a higher feature on runs that their runtimes no longer have. */
type LeavingStep = (tx: Transaction, runIds: readonly string[]) => Promise<void>;

/**
 * The only writer of a run's status. Each step is one transaction, which has locked the agent's row first and the
 * run's then: decide, update, history, the time that it took, webhook messages, and the news for those who wait for
 * it.
 */
@Injectable()
export class RunLifecycleService {
  private readonly leavings: LeavingStep[] = [];

  constructor(
    private readonly written: WrittenRunsRepository,
    private readonly queue: RunQueueService,
    private readonly outbox: WebhookOutbox,
    private readonly time: RunTimeRepository,
  ) {}

  /** Registers what features above do with runs that their runtimes have no more, in the transaction of that step. */
  onLeft(step: LeavingStep): void {
    this.leavings.push(step);
  }

  /** Queues any number of new runs, of agents whose rows the transaction has locked. @returns them in any order */
  queueAll(tx: Transaction, runs: readonly NewRun<QueuedRun>[]): Promise<RunEntity[]> {
    return this.createAll(tx, 'ask', runs);
  }

  /** Writes a run that its agent has begun by itself. */
  async begin(tx: Transaction, run: NewRun<BegunRun>): Promise<RunEntity> {
    const [begun] = await this.createAll(tx, 'begin', [run]);
    return begun!;
  }

  private async createAll(
    tx: Transaction,
    how: keyof typeof RUN_CREATIONS,
    values: readonly (NewRun<QueuedRun> | NewRun<BegunRun>)[],
  ): Promise<RunEntity[]> {
    if (values.length === 0) return [];
    const { to: status, event } = RUN_CREATIONS[how];
    const created = await this.written.insertAll(
      tx,
      how,
      values.map((value) => ({ ...value, status, statusSource: sourceOf(value.actor) })),
      {
        event,
        message: null,
        runs: values.map(({ id, actor }) => ({ id, actor, previousStatus: null })),
        notifications: this.queue.notificationsOf(tx, values, false),
      },
    );
    await this.tell(tx, event, created);
    return created.map(({ run }) => run);
  }

  /** Takes one step of a run, or none if the action would change nothing. @returns the run as it is stored then */
  async apply(
    tx: Transaction,
    actor: Actor,
    run: RunEntity,
    action: RunAction,
    details: RunDetails = {},
  ): Promise<RunEntity> {
    const [applied] = await this.applyToAll(tx, actor, [run], action, details);
    return applied ?? run;
  }

  /**
   * Takes the same step of many runs of one agent, whose rows the transaction has locked. A run that ends and is to be
   * tried again is queued in the same transaction.
   *
   * @returns those that took the step, as they are stored then
   */
  async applyToAll(
    tx: Transaction,
    actor: Actor,
    runs: readonly RunEntity[],
    action: RunAction,
    details: RunDetails = {},
  ): Promise<RunEntity[]> {
    const source = sourceOf(actor);
    const { event } = RUN_TRANSITIONS[action];
    const message = details.message ?? details.error ?? details.waitingReason ?? null;
    const taken: WrittenRun[] = [];
    const times: RunTime[] = [];
    for (const [to, moving] of Map.groupBy(runs, ({ status }) => nextRunStatus(action, status, source))) {
      if (to === null) continue;
      const before = new Map(moving.map((run) => [run.id, run]));
      const moved = await this.written.take(tx, changeOf(action, to, source, details), {
        event,
        message,
        runs: moving.map(({ id, status }) => ({ id, actor, previousStatus: status })),
        notifications: this.queue.notificationsOf(tx, moving, !isOpen({ status: to })),
      });
      taken.push(...moved);
      for (const { run } of moved) {
        const previous = before.get(run.id)!;
        if (isHeld(previous) && !isHeld(run)) times.push(...timeOf(previous, run));
      }
    }
    if (taken.length === 0) return [];
    await this.time.count(tx, times);
    await this.tell(tx, event, taken);
    await this.leave(tx, taken);
    return this.retryAll(
      tx,
      taken.map(({ run }) => run),
    );
  }

  /** A run waits as long as a question of it is open, so one that did not wait has none. */
  private async leave(tx: Transaction, taken: readonly WrittenRun[]): Promise<void> {
    const left = taken.filter(({ run, event }) => event.previousStatus === 'waiting' && !isHeld(run));
    const ids = left.map(({ run }) => run.id);
    if (ids.length > 0) for (const step of this.leavings) await step(tx, ids);
  }

  /** Stores what a report says besides the status. It is no step, so the history and webhooks have none. */
  async note(tx: Transaction, actor: Actor, run: RunEntity, details: RunDetails): Promise<RunEntity> {
    return (await this.written.note(tx, run.id, notedChange(details, sourceOf(actor)))) ?? run;
  }

  /** Queues the next attempt of those that have one left. */
  private async retryAll(tx: Transaction, runs: readonly RunEntity[]): Promise<RunEntity[]> {
    const all: RunEntity[] = [];
    for (const run of runs) {
      const { status, attempt, returnedAttempts, cancelRequestedAt } = run;
      const begun = { status, attempt: attempt - returnedAttempts };
      const delaySeconds = cancelRequestedAt === null ? retryDelayOf(begun, run) : null;
      all.push(delaySeconds === null ? run : await this.apply(tx, 'monitor', run, 'retry', { delaySeconds }));
    }
    return all;
  }

  private async tell(tx: Transaction, event: RunEventType, taken: readonly WrittenRun[]): Promise<void> {
    onCommit(tx, () => taken.forEach(measure));
    await this.outbox.enqueueAll(
      tx,
      `run.${event}`,
      taken.map(({ run, event: row }) => ({
        projectId: run.projectId,
        data: { run: toRunSummary(run), event: toRunEventResponse(row) },
        ...(hasPayload(run) && {
          completeData: () => ({ run: toRunResponse(run), event: toRunEventResponse(row) }),
        }),
      })),
    );
  }
}

/** The time of an attempt that was under way. */
function timeOf({ projectId, agentId, startedAt, countedUntil }: RunEntity, ended: RunEntity): RunTime[] {
  return startedAt === null
    ? []
    : [{ projectId, agentId, since: countedUntil ?? startedAt, until: ended.endedAt }];
}

function hasPayload({ input, output }: RunEntity): boolean {
  return input !== null || output !== null;
}

/** Counts a step in the metrics of this instance. A step of a run that has ended before is no end. */
function measure({ run, event: { eventType, previousStatus } }: WrittenRun): void {
  const { status, availableAt, startedAt, endedAt } = run;
  if (eventType === 'started')
    runSeconds.observe({ phase: 'waiting' }, secondsBetween(availableAt, startedAt));
  if (isOpen(run) || status === previousStatus) return;
  endedRuns.inc({ status });
  if (startedAt !== null) runSeconds.observe({ phase: 'running' }, secondsBetween(startedAt, endedAt));
}

function secondsBetween(from: string, to: string | null): number {
  return to === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000;
}

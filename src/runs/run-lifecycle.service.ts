import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { type Actor } from '../access/principal.js';
import { newId } from '../database/new-id.js';
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
  type RunStatus,
} from '../lifecycle/run-lifecycle.js';
import { instruments } from '../observability/instruments.js';
import { sourceOf } from '../lifecycle/status-source.js';
import { WebhookOutbox } from '../webhooks/webhook-outbox.js';
import { changeOf, notedChange, type RunChange } from './run-change.js';
import { toRunEventResponse } from './run-event.response.js';
import { RunEventsRepository } from './run-events.repository.js';
import { RunQueueService } from './run-queue.service.js';
import type { RunEntity } from './run.entity.js';
import { toRunResponse, toRunSummary } from './run.response.js';
import type { RunDetails } from './run.types.js';
import { type RunTime, RunTimeRepository } from './run-time.repository.js';
import { RunsRepository } from './runs.repository.js';

const endedRuns = new Counter({
  name: 'control_plane_runs_ended_total',
  help: 'Ends of runs that this instance has stored, by status; a late real end counts beside the presumed one',
  labelNames: ['status'],
  registers: [instruments],
});

const runSeconds = new Histogram({
  name: 'control_plane_run_seconds',
  help: 'How long an attempt of a run has waited since it was due, and how long it was under way',
  labelNames: ['phase'],
  buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
  registers: [instruments],
});

/** A new run; the database has a default for what is absent. */
export type NewRun = RunChange & { readonly id: string; readonly actor: Actor };

/** Acts of a higher feature on runs that their runtimes no longer have. */
type LeavingStep = (tx: Transaction, runIds: readonly string[]) => Promise<void>;

/** A step that was taken. */
interface Taken {
  readonly run: RunEntity;
  readonly actor: Actor;
  readonly event: RunEventType;
  readonly previousStatus: RunStatus | null;
  readonly message: string | null;
}

/**
 * The only writer of a run's status. Each step is one transaction, which has locked the agent's row first and the
 * run's then: decide, update, history, the time that it took, webhook messages, and the news for those who wait for
 * it.
 */
@Injectable()
export class RunLifecycleService {
  private readonly leavings: LeavingStep[] = [];

  constructor(
    private readonly runs: RunsRepository,
    private readonly events: RunEventsRepository,
    private readonly queue: RunQueueService,
    private readonly outbox: WebhookOutbox,
    private readonly time: RunTimeRepository,
  ) {}

  /** Registers what features above do with runs that their runtimes have no more, in the transaction of that step. */
  onLeft(step: LeavingStep): void {
    this.leavings.push(step);
  }

  /** Writes a new run with the first event of its history. */
  async create(
    tx: Transaction,
    actor: Actor,
    how: keyof typeof RUN_CREATIONS,
    values: Omit<NewRun, 'actor'>,
  ): Promise<RunEntity> {
    const [run] = await this.createAll(tx, how, [{ ...values, actor }]);
    return run!;
  }

  /** Writes any number of new runs, of agents whose rows the transaction has locked. @returns them in any order */
  async createAll(
    tx: Transaction,
    how: keyof typeof RUN_CREATIONS,
    values: readonly NewRun[],
  ): Promise<RunEntity[]> {
    if (values.length === 0) return [];
    const { to: status, event } = RUN_CREATIONS[how];
    const actors = new Map(values.map(({ id, actor }) => [id, actor]));
    const runs = await this.runs.insertAll(
      tx,
      values.map((value) => ({ ...value, status, statusSource: sourceOf(value.actor) })),
    );
    const taken = runs.map((run) => ({ run, actor: actors.get(run.id)!, event }));
    await this.tell(
      tx,
      taken.map((step) => ({ ...step, previousStatus: null, message: null })),
    );
    return runs;
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
    const taken: Taken[] = [];
    const times: RunTime[] = [];
    for (const [to, moving] of Map.groupBy(runs, ({ status }) => nextRunStatus(action, status, source))) {
      if (to === null) continue;
      const before = new Map(moving.map((run) => [run.id, run]));
      const change = changeOf(action, to, source, details);
      const message = details.message ?? details.error ?? details.waitingReason ?? null;
      const moved = await this.runs.update(tx, [...before.keys()], change);
      for (const run of moved) {
        const previous = before.get(run.id)!;
        taken.push({
          run,
          actor,
          event: RUN_TRANSITIONS[action].event,
          previousStatus: previous.status,
          message,
        });
        if (isHeld(previous) && !isHeld(run)) times.push(...timeOf(previous, run));
      }
    }
    if (taken.length === 0) return [];
    await this.time.count(tx, times);
    await this.tell(tx, taken);
    await this.leave(tx, taken);
    return this.retryAll(
      tx,
      taken.map(({ run }) => run),
    );
  }

  private async leave(tx: Transaction, taken: readonly Taken[]): Promise<void> {
    const left = taken.filter(
      ({ run, previousStatus }) =>
        previousStatus !== null && isHeld({ status: previousStatus }) && !isHeld(run),
    );
    const ids = left.map(({ run }) => run.id);
    if (ids.length > 0) for (const step of this.leavings) await step(tx, ids);
  }

  /** Stores what a report says besides the status. It is no step, so the history and webhooks have none. */
  async note(tx: Transaction, actor: Actor, run: RunEntity, details: RunDetails): Promise<RunEntity> {
    const [noted] = await this.runs.update(tx, [run.id], notedChange(details, sourceOf(actor)));
    return noted ?? run;
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

  private async tell(tx: Transaction, taken: readonly Taken[]): Promise<void> {
    const rows = taken.map(({ run, actor, event, previousStatus, message }) => ({
      id: newId(),
      runId: run.id,
      sequence: run.lastSequence,
      eventType: event,
      status: run.status,
      previousStatus,
      attempt: run.attempt,
      actor,
      message,
    }));
    const written = await this.events.append(tx, rows);
    onCommit(tx, () => taken.forEach(measure));
    const steps = taken.map((step, index) => ({ ...step, row: written[index]! }));
    for (const [event, alike] of Map.groupBy(steps, (step) => step.event)) {
      await this.outbox.enqueueAll(
        tx,
        `run.${event}`,
        alike.map(({ run, row }) => ({
          projectId: run.projectId,
          data: { run: toRunSummary(run), event: toRunEventResponse(row) },
          ...(hasPayload(run) && {
            completeData: () => ({ run: toRunResponse(run), event: toRunEventResponse(row) }),
          }),
        })),
      );
    }
    await this.queue.announce(
      tx,
      taken.map(({ run }) => run),
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

/** Counts a step in the metrics of this instance. */
function measure({ run, event }: Taken): void {
  const { status, availableAt, startedAt, endedAt } = run;
  if (event === 'started') runSeconds.observe({ phase: 'waiting' }, secondsBetween(availableAt, startedAt));
  if (isOpen(run)) return;
  endedRuns.inc({ status });
  if (startedAt !== null) runSeconds.observe({ phase: 'running' }, secondsBetween(startedAt, endedAt));
}

function secondsBetween(from: string, to: string | null): number {
  return to === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from)) / 1_000;
}

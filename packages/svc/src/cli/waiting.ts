import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@agent-control-plane/client/internal/backoff';
import { type Deployment, type DeploymentEvent, follow, unwrap } from '@agent-control-plane/client';
import { pause } from '@agent-control-plane/client/internal/pause';
import type { CommandOption } from './command-declaration.js';
import type { CommandInput } from './command.js';
import type { Context } from './context.js';
import { CommandFailedError, UsageError } from './failures.js';
import { seconds } from './option-values.js';
import { missingRunner } from './missing-runner.js';
import { eventLine } from './output/event-line.js';
import { duration } from './output/relative-time.js';
import type { Progress } from './terminal.js';
import { passingPauseMs } from './passing-failure.js';
import { readDeployment } from './read-resource.js';

/** Maximum number of seconds to wait; undefined: no wait. */
export type Wait = number | undefined;

export interface Patience {
  /** Maximum number of seconds to wait. */
  readonly timeout: number;
  /** Number of the event after which events are printed; absent: from now on. */
  readonly after?: string;
}

/** The service's default deadline for a deployment; seconds. */
const DEFAULT_TIMEOUT_SECONDS = 600;
/** Interval of checks without an event: some changes are no events. */
const LOOK_MS = 1_000;
/** Time in which a starting runner connects; the note about a missing one comes later. */
const RUNNER_STARTS_MS = 3_000;

export const waitOptions: readonly CommandOption[] = [
  { flags: '-w, --wait', description: 'wait until it is done, and fail if it fails' },
  {
    flags: '--timeout <time>',
    description: 'how long to wait: 90s, 5m, 1h (default 10m)',
    parse: seconds,
  },
];

export function readWait(input: CommandInput): Wait {
  const timeout = input.number('timeout');
  if (input.flag('wait')) return timeout ?? DEFAULT_TIMEOUT_SECONDS;
  if (timeout !== undefined) throw new UsageError('--timeout says how long to --wait: give both');
  return undefined;
}

/**
 * Waits until the runtime has carried out a request on a deployment, and prints its events meanwhile.
 *
 * @param asked the deployment in the reply to the request, whose generation is awaited
 * @returns the deployment with all of its replicas ready
 * @throws CommandFailedError if it ends otherwise, another request supersedes this one, or the time is over
 */
export function waitUntilReady(context: Context, asked: Deployment, patience: Patience): Promise<Deployment> {
  return watched(context, asked, patience, async (deployment) => {
    assertUnderWay(deployment, asked);
    const { status, replicas, ready_replicas, observed_generation } = deployment;
    const isObserved = (observed_generation ?? 0) >= asked.generation;
    return isObserved && ready_replicas === replicas && (status === 'ready' || replicas === 0);
  });
}

/** Waits until a new deployment runs, so that it can be scaled. @throws CommandFailedError as {@link waitUntilReady} */
export function waitUntilRunning(
  context: Context,
  asked: Deployment,
  patience: Patience,
): Promise<Deployment> {
  return watched(context, asked, patience, async (deployment) => {
    assertUnderWay(deployment, asked);
    return deployment.status !== 'deploying';
  });
}

/** @throws CommandFailedError for a deployment that has ended, or of which something else was asked */
function assertUnderWay({ id, status, generation, error_message }: Deployment, asked: Deployment): void {
  if (['failed', 'killed', 'stopped'].includes(status))
    throw new CommandFailedError(
      `The deployment is ${status}${error_message === null ? '' : `: ${error_message}`}; see "svc deploy events ${id}"`,
    );
  if (generation > asked.generation)
    throw new CommandFailedError(
      'Somebody has changed the deployment meanwhile: there is nothing left to wait for',
    );
}

/**
 * Waits until the runtime has carried out the `stop` of a deployment.
 *
 * @throws CommandFailedError if the stop failed, another request superseded it, or the time is over
 */
export function waitUntilStopped(
  context: Context,
  stopped: Deployment,
  patience: Patience,
): Promise<Deployment> {
  return watched(context, stopped, patience, async (deployment) => {
    const commands = await unwrap(
      context.service().GET('/deployments/{deployment_id}/commands', {
        params: { path: { deployment_id: deployment.id }, query: { limit: 20 } },
      }),
    );
    const stop = commands.find(({ action }) => action === 'stop');
    // a runtime without an earlier command gets no stop either
    if (!stop || stop.state === 'succeeded') return true;
    if (stop.state === 'failed' || stop.state === 'dead')
      throw new CommandFailedError(
        `The agent has not stopped it: ${stop.error ?? `the command is ${stop.state}`}; see "svc deploy commands ${deployment.id}"`,
      );
    if (stop.state === 'superseded')
      throw new CommandFailedError(
        'Somebody has changed the deployment meanwhile: there is nothing left to wait for',
      );
    return false;
  });
}

/** Checks at once, after each event, and regularly, until `isDone`. */
async function watched(
  context: Context,
  asked: Deployment,
  { timeout, after }: Patience,
  isDone: (now: Deployment) => Promise<boolean>,
): Promise<Deployment> {
  const begun = performance.now();
  const end = begun + timeout * 1_000;
  const progress = context.terminal.showProgress(describe(asked));
  const events = new EventWatch(context, asked.id, after, progress);
  let isRunnerMissed = false;
  try {
    for (;;) {
      const { deployment = asked, hasEnded, noRunner, wantedMs } = await look(context, asked.id, isDone);
      if (hasEnded) return deployment;
      progress.update(describe(deployment));
      if (noRunner !== undefined && !isRunnerMissed && performance.now() - begun >= RUNNER_STARTS_MS) {
        progress.note(noRunner);
        isRunnerMissed = true;
      }
      context.signal.throwIfAborted();
      const left = end - performance.now();
      if (left <= 0) throw timedOut(timeout, deployment, noRunner);
      if (wantedMs === 0) await events.nextOr(Math.min(LOOK_MS, left));
      else await pause(Math.min(backoffMs(1, LOOK_MS, LOOK_MS, wantedMs), left), context.signal);
      // the time will be over before the next request is allowed
      if (left <= wantedMs) throw timedOut(timeout, deployment, noRunner);
    }
  } finally {
    progress.end();
    events.stop();
  }
}

interface Look {
  /** Absent during an outage of the service: the request is carried out all the same. */
  readonly deployment?: Deployment;
  readonly hasEnded: boolean;
  /** Note that nothing will change, because no runner is connected. */
  readonly noRunner?: string;
  /** The service's `Retry-After`; milliseconds. */
  readonly wantedMs: number;
}

async function look(
  context: Context,
  id: string,
  isDone: (now: Deployment) => Promise<boolean>,
): Promise<Look> {
  try {
    const deployment = await readDeployment(context, id);
    if (await isDone(deployment)) return { deployment, hasEnded: true, wantedMs: 0 };
    return { deployment, hasEnded: false, noRunner: await missingRunner(context, deployment), wantedMs: 0 };
  } catch (error) {
    return { hasEnded: false, wantedMs: passingPauseMs(error) };
  }
}

/** Prints the events of a deployment as they happen. */
class EventWatch {
  private readonly over = new AbortController();
  private readonly news = new EventEmitter();

  constructor(
    private readonly context: Context,
    private readonly deploymentId: string,
    private readonly after: string | undefined,
    private readonly progress: Progress,
  ) {
    // without the stream, only the regular checks remain
    void this.run().catch(() => undefined);
  }

  /** Resolves with the next event, or after this many milliseconds. */
  async nextOr(milliseconds: number): Promise<void> {
    const timer = new AbortController();
    const signal = AbortSignal.any([timer.signal, this.context.signal]);
    const whatever = [once(this.news, 'event', { signal }), delay(milliseconds, undefined, { signal })];
    await Promise.race(whatever).catch(() => undefined);
    timer.abort();
  }

  stop(): void {
    this.over.abort();
  }

  private async run(): Promise<void> {
    const signal = AbortSignal.any([this.over.signal, this.context.signal]);
    const path = { deployment_id: this.deploymentId };
    const stream = '/deployments/{deployment_id}/events/stream';
    const options = { path, signal, lastEventId: this.after };
    for await (const { data } of follow(this.context.service(), stream, options)) {
      this.show(data);
    }
  }

  private show(event: DeploymentEvent): void {
    this.progress.note(eventLine(event, this.context.terminal.noteColors));
    this.news.emit('event');
  }
}

function describe(deployment: Deployment): string {
  const { status, ready_replicas, replicas, generation, observed_generation } = deployment;
  // After a scale the status stays `ready` until the runtime reports.
  const isOnItsWay = ready_replicas < replicas || (observed_generation ?? generation) < generation;
  const state = status === 'ready' && isOnItsWay ? 'progressing' : status;
  return `${state}, ${ready_replicas} of ${replicas} replicas ready`;
}

function timedOut(timeout: number, deployment: Deployment, noRunner: string | undefined): CommandFailedError {
  const state = `Not done within ${duration(timeout)}: it is ${describe(deployment)}`;
  return new CommandFailedError(
    noRunner === undefined
      ? `${state}; see "svc deploy commands ${deployment.id}" for what it waits for`
      : `${state}. ${noRunner}`,
  );
}

import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { Admit } from '../policy/admission.js';
import type { AccountEntry } from './account-entry.js';
import { PortListener } from './port-listener.js';
import type { ProcessConfig, ReadinessConfig } from './process-config.js';
import { killAtOnce } from './process-table.js';
import { startProgram } from './program-start.js';

/** Number of failed checks in a row after which a ready replica is unready. */
const FAILURES_UNTIL_UNREADY = 3;

export interface ReadinessOrder {
  readonly admit: Admit;
  readonly config: ProcessConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Starts its command under another account; undefined: under the runner's. */
  readonly as: AccountEntry | undefined;
  /** The replica's port, if its readiness check uses one. */
  readonly port: number | undefined;
  /** The replica's process. */
  readonly pid: number;
  /** When the process started, by `performance.now()`. */
  readonly startedAt: number;
  readonly onChange: (isReady: boolean) => void;
  /** Called once if the check is impossible: its program is misspelt, or another program has the port. */
  readonly onUnusable: (reason: string) => void;
}

/** Checks the readiness of a replica until the signal aborts. */
export async function watchReadiness(order: ReadinessOrder, signal: AbortSignal): Promise<void> {
  const { readiness } = order.config;
  if (readiness.kind === 'uptime') {
    await sleep(Math.max(0, order.startedAt + readiness.afterMs - performance.now()), signal);
    if (!signal.aborted) order.onChange(true);
    return;
  }
  let isReady = false;
  const check = checkOf(readiness, { ...order, onUnusable: once(order.onUnusable) });
  for (let failures = 0; !signal.aborted;) {
    const passes = await check(AbortSignal.any([signal, AbortSignal.timeout(readiness.timeoutMs)]));
    if (signal.aborted) return;
    failures = passes ? 0 : failures + 1;
    const was: boolean = isReady;
    isReady = passes || (was && failures < FAILURES_UNTIL_UNREADY);
    if (isReady !== was) order.onChange(isReady);
    await sleep(readiness.intervalMs, signal);
  }
}

function checkOf(
  readiness: Exclude<ReadinessConfig, { kind: 'uptime' }>,
  order: ReadinessOrder,
): (limit: AbortSignal) => Promise<boolean> {
  if (readiness.kind === 'command') return (limit) => succeeds(readiness.command, order, limit);
  const port = order.port!;
  const listener = new PortListener(port, order.pid);
  return async (limit) => {
    if (!(await accepts(port, limit))) return false;
    const isOther = (await listener.whose()) === 'other';
    if (isOther) order.onUnusable(`is answered by another program, which listens at port ${port}`);
    return !isOther;
  };
}

/** Returns true if a program listens, on either of the machine's own addresses. */
function accepts(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port, signal });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/**
 * Returns true if the command exits with 0. It has its own process group, so that none of it outlives the time limit.
 */
async function succeeds(
  command: readonly [string, ...string[]],
  { admit, env, as, onUnusable }: ReadinessOrder,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) return false;
  let child: ChildProcess;
  try {
    const admitted = admit(command, env);
    child = await startProgram(admitted.command, {
      cwd: admitted.cwd,
      env,
      stdio: 'ignore',
      detached: true,
      as,
    });
  } catch (error) {
    onUnusable(`${JSON.stringify(command[0])} ${messageOf(error)}`);
    return false;
  }
  return new Promise((resolve) => {
    const end = () => killAtOnce(-child.pid!);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    child.once('exit', (code) => {
      signal.removeEventListener('abort', end);
      resolve(code === 0);
    });
  });
}

function once(listener: (reason: string) => void): (reason: string) => void {
  let isTold = false;
  return (reason) => {
    if (!isTold) listener(reason);
    isTold = true;
  };
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

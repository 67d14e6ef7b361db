import { type Credentials, isCredential } from '../credentials.js';
import type { RunHandler } from './agent-run.js';
import type { BufferLimits } from './bounded-buffer.js';
import type { DesiredState } from './desired-state.js';
import type { Software } from './own-software.js';
import type { StartOutbox } from './outbox.js';
import type { StartRunWork } from './run-work.js';
import type { EventListener } from './runtime-events.js';

export interface AgentRuntimeOptions {
  /** The service's address. */
  readonly baseUrl: string;
  /** The agent's key, or its source: a source is asked again when the service refuses the key. */
  readonly key: string | Credentials;
  /**
   * Brings a deployment into a state, from any earlier one, and resolves when that is done; the result is stored with
   * the command. A rejection is reported to the service as the command's failure, and the deployment is then `failed`.
   * Calls for one deployment never overlap. Two calls with the same state must have the effect of one: that happens
   * when the process dies during a call, or restarts (`cause` is then `resume`). Default, where there is an `onRun`: a
   * deployment is ready at once, and its runs are all that the agent does.
   */
  readonly apply?: (desired: DesiredState) => Promise<unknown>;
  /**
   * Does the work of a run that the service gives, and resolves with its output: any JSON value. A rejection is reported
   * as its failure. Absent: the agent takes no runs. A deployment with 0 replicas takes none.
   */
  readonly onRun?: RunHandler;
  /** Number of runs that the agent has at once, at most. Default 1. */
  readonly concurrency?: number;
  /** Milliseconds that runs have to end after `stop`; they count as failed then. Default 5,000. */
  readonly runGraceMs?: number;
  /** Ends all work: the runtime was stopped, or its key was refused permanently. Default: does nothing. */
  readonly end?: () => Promise<void>;
  /**
   * The directory for the state that must outlive this process; it is created if it is missing. Without it, a restart
   * of the process leaves its deployments failed.
   */
  readonly stateDir?: string;
  readonly version?: string;
  readonly capabilities?: unknown;
  readonly metadata?: Record<string, unknown>;
  /**
   * Limits of the logs that wait during an outage of the service; past them the oldest lines are dropped. Default
   * 50,000 lines or 16 MiB.
   */
  readonly logBuffer?: BufferLimits;
  /** Milliseconds over which the key must have been refused before the refusal counts as final. Default 5,000. */
  readonly refusalPatienceMs?: number;
  readonly onEvent?: EventListener;
  /** The program that has this runtime in it, in place of this package. @internal */
  readonly software?: Software;
  /** Takes runs and carries them out. Absent: nothing is said of runs. @internal */
  readonly runs?: StartRunWork;
  /** Sends what else the program has for the service, as long as logs and metrics are sent. @internal */
  readonly outbox?: StartOutbox;
}

/**
 * Checks the options of an `AgentRuntime`. An unchecked mistake would cause endless retries, as in an outage of the
 * service.
 *
 * @throws TypeError with one sentence that names the option; it never contains a key
 */
export function assertUsable(options: AgentRuntimeOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('AgentRuntime needs options: { baseUrl, key, apply } or { baseUrl, key, onRun }');
  assertAddress(options.baseUrl);
  assertKey(options.key);
  if (options.onRun !== undefined) assertFunction('onRun', options.onRun, 'it does the work of a run');
  if (options.onRun === undefined || options.apply !== undefined)
    assertFunction('apply', options.apply, 'it brings a deployment into a state');
  assertConcurrency(options.concurrency);
  if (options.end !== undefined) assertFunction('end', options.end, 'it ends all work');
  if (options.onEvent !== undefined) assertFunction('onEvent', options.onEvent, 'it is told what happens');
}

function assertConcurrency(concurrency: unknown): void {
  if (concurrency === undefined) return;
  const isNumber = Number.isInteger(concurrency) && Number(concurrency) >= 1 && Number(concurrency) <= 100;
  if (!isNumber) throw new TypeError('concurrency must be a whole number from 1 to 100');
}

function assertAddress(baseUrl: unknown): void {
  const advice = 'baseUrl must be the address of the service, like http://127.0.0.1:8000';
  if (typeof baseUrl !== 'string') throw new TypeError(`${advice}; it is ${kindOf(baseUrl)}`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // the address may contain a password, so the message does not repeat it
  if (url && (url.username !== '' || url.password !== ''))
    throw new TypeError(`${advice}; it has a user name or a password, which an address may not have`);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError(`${advice}; it is ${JSON.stringify(baseUrl)}`);
}

function assertKey(key: unknown): void {
  const advice = "key must be the agent's key, or an object whose current() gives it";
  if (typeof key === 'string') {
    if (key.trim() === '') throw new TypeError(`${advice}; it is empty`);
    if (!isCredential(key))
      throw new TypeError(`${advice}; it has a space, a line break or another character that no key has`);
    return;
  }
  const { current } = (key ?? {}) as { current?: unknown };
  if (typeof current !== 'function') throw new TypeError(`${advice}; it is ${kindOf(key)}`);
}

function assertFunction(name: string, value: unknown, purpose: string): void {
  if (typeof value !== 'function')
    throw new TypeError(`${name} must be a function: ${purpose}; it is ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
}

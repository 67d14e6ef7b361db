import type { Credentials } from '../credentials.js';
import type { BufferLimits } from './bounded-buffer.js';
import type { DesiredState } from './desired-state.js';
import type { EventListener } from './runtime-events.js';

export interface AgentRuntimeOptions {
  /** The service's address. */
  readonly baseUrl: string;
  /** The agent's key, or where to get it: then it is asked for anew when the service refuses it. */
  readonly key: string | Credentials;
  /**
   * Brings a deployment into a state, whatever it was in before, and resolves when that is done; what it resolves with
   * is kept with the command. A rejection is told to the service as the command's failure, and the deployment is then
   * `failed`. It is called for one state of a deployment at a time. It must come to the same when it is called twice
   * with the same state: that happens when the process dies in the middle, or starts anew (`cause` is then `resume`).
   */
  readonly apply: (desired: DesiredState) => Promise<unknown>;
  /** Ends all work: the runtime is stopped, or its key was refused for good. Default: nothing is to be done. */
  readonly end?: () => Promise<void>;
  /**
   * The directory for what must outlive this process; it is made when it is missing. Without it, a restart of the
   * process leaves its deployments failed.
   */
  readonly stateDir?: string;
  readonly version?: string;
  readonly capabilities?: unknown;
  readonly metadata?: Record<string, unknown>;
  /** How much log may wait while the service is away; then the oldest lines go. Default 50,000 lines or 16 MiB. */
  readonly logBuffer?: BufferLimits;
  /** For how many milliseconds the key must have been refused until that is taken for final. Default 5,000. */
  readonly refusalPatienceMs?: number;
  readonly onEvent?: EventListener;
}

/** The characters that a header can hold (RFC 9110, 5.5), without spaces. */
const CREDENTIAL = /^[\x21-\x7e]+$/;

/**
 * Checks what a program gives an `AgentRuntime`. Whatever is missed here would be tried again for ever, as if the
 * service were away.
 *
 * @throws TypeError with one sentence that names the option; it never repeats a key
 */
export function assertUsable(options: AgentRuntimeOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('AgentRuntime needs options: { baseUrl, key, apply }');
  assertAddress(options.baseUrl);
  assertKey(options.key);
  assertFunction('apply', options.apply, 'it brings a deployment into a state');
  if (options.end !== undefined) assertFunction('end', options.end, 'it ends all work');
  if (options.onEvent !== undefined) assertFunction('onEvent', options.onEvent, 'it is told what happens');
}

function assertAddress(baseUrl: unknown): void {
  const advice = 'baseUrl must be the address of the service, like http://127.0.0.1:8000';
  if (typeof baseUrl !== 'string') throw new TypeError(`${advice}; it is ${kindOf(baseUrl)}`);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // it may hold a password, so it is not repeated
  if (url && (url.username !== '' || url.password !== ''))
    throw new TypeError(`${advice}; it has a user name or a password, which an address may not have`);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError(`${advice}; it is ${JSON.stringify(baseUrl)}`);
}

function assertKey(key: unknown): void {
  const advice = "key must be the agent's key, or an object whose current() gives it";
  if (typeof key === 'string') {
    if (key.trim() === '') throw new TypeError(`${advice}; it is empty`);
    if (!CREDENTIAL.test(key))
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

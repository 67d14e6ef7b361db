import type { Credentials } from '../credentials.js';
import { createServiceClient, type ServiceClient } from '../service-client.js';
import { MalformedCredentialError, ServiceError, UnreachableError } from '../service-errors.js';
import { Backoff } from './backoff.js';
import { KeyVerdict } from './key-verdict.js';
import { proxiedFetch } from './proxied-fetch.js';
import { KeyRefusedError, messageOf } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The same when the agent ends: it has some seconds for what waits. */
const LONGEST_PAUSE_AT_END_MS = 1_000;
/** A longer `Retry-After` is treated as a mistake: the agent would not call for days. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;
const CALL_TIMEOUT_MS = 15_000;

export interface ServiceLinkOptions {
  readonly baseUrl: string;
  readonly key: string | Credentials;
  readonly userAgent: string;
  readonly onEvent: EventListener;
  /** Milliseconds over which a key must have been refused before the refusal counts as final. */
  readonly refusalPatienceMs: number;
}

interface Repetition {
  readonly timeoutMs: number;
  readonly longestPauseMs: number;
  readonly mayMend: (error: unknown) => boolean;
}

export type ServiceCall<Reply> = (service: ServiceClient, signal: AbortSignal) => Promise<Reply>;

/** Calls to the service that survive outages of any length; nothing has to be restarted afterwards. */
export class ServiceLink {
  private readonly service: ServiceClient;
  private readonly verdict: KeyVerdict;
  /** Aborted with a `KeyRefusedError` once the key is refused permanently. */
  private readonly refusal = new AbortController();
  /** Ends of the pauses after a broken connection. */
  private readonly untilReturn = new Set<() => void>();
  /** Ends of all pauses after a failure. */
  private readonly untilEnd = new Set<() => void>();
  private isEnding = false;
  private lostAt: number | undefined;
  private backListener: (awayMs: number) => void = () => undefined;

  constructor(private readonly options: ServiceLinkOptions) {
    this.verdict = new KeyVerdict(options.refusalPatienceMs);
    // time limits and repetitions are done by this class, so the client must not repeat requests itself
    this.service = createServiceClient({
      baseUrl: options.baseUrl,
      credentials: options.key,
      userAgent: options.userAgent,
      retries: 0,
      timeoutMs: 0,
      fetch: proxiedFetch(),
    });
  }

  get refused(): AbortSignal {
    return this.refusal.signal;
  }

  /** @param listener is called after an outage with its length, in milliseconds */
  onBack(listener: (awayMs: number) => void): void {
    this.backListener = listener;
  }

  /**
   * Ends every pause after a failure, and keeps the later ones short, except for a `Retry-After`. For the end of the
   * agent: a pause of half a minute would outlast the time that it has for what waits.
   */
  hurry(): void {
    this.isEnding = true;
    for (const wake of [...this.untilEnd]) wake();
  }

  /**
   * Calls, and repeats the call after transient errors, until it succeeds.
   *
   * @param signal ends it, with the signal's reason
   * @param timeoutMs of one attempt, including the whole reply
   * @throws ServiceError for a refusal that a retry can't change; KeyRefusedError
   */
  async retryTransient<Reply>(
    call: ServiceCall<Reply>,
    signal: AbortSignal,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<Reply> {
    return this.repeat(call, signal, { timeoutMs, longestPauseMs: LONGEST_PAUSE_MS, mayMend: isPassing });
  }

  /**
   * Retries after every error except a refused key. For calls that an agent can't work without: each refusal is
   * reported as an event.
   *
   * @param longestPauseMs between two attempts, unless the service asks for a longer one
   * @throws KeyRefusedError, or the signal's reason
   */
  async retryForever<Reply>(
    call: ServiceCall<Reply>,
    signal: AbortSignal,
    timeoutMs = CALL_TIMEOUT_MS,
    longestPauseMs = LONGEST_PAUSE_MS,
  ): Promise<Reply> {
    const mayMend = (error: unknown) => {
      if (error instanceof KeyRefusedError) return false;
      if (!isPassing(error))
        this.options.onEvent({ level: 'warning', event: 'refused', message: messageOf(error) });
      return true;
    };
    return this.repeat(call, signal, { timeoutMs, longestPauseMs, mayMend });
  }

  private async repeat<Reply>(
    call: ServiceCall<Reply>,
    signal: AbortSignal,
    { timeoutMs, longestPauseMs, mayMend }: Repetition,
  ): Promise<Reply> {
    const backoff = new Backoff(FIRST_PAUSE_MS, longestPauseMs);
    const backoffAtEnd = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_AT_END_MS);
    for (;;) {
      signal.throwIfAborted();
      this.refusal.signal.throwIfAborted();
      try {
        return await this.attempt(call, signal, timeoutMs);
      } catch (error) {
        signal.throwIfAborted();
        if (!mayMend(error)) throw error;
        const wantedMs = retryAfterMs(error);
        if (wantedMs > 0) await this.pause(wantedMs, signal);
        const pauseMs = this.isEnding ? backoffAtEnd.next() : backoff.next();
        await this.pause(pauseMs, signal, this.wakersAfter(error));
      }
    }
  }

  /** Calls once. @throws any error of the call; the signal's reason if that ends it */
  private async attempt<Reply>(
    call: ServiceCall<Reply>,
    signal: AbortSignal,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<Reply> {
    const ended = new AbortController();
    const end = () => ended.abort(signal.reason);
    const late = new DOMException('no answer in time', 'TimeoutError');
    const timer = setTimeout(
      () => ended.abort(new UnreachableError(this.options.baseUrl, late)),
      Math.max(1, timeoutMs),
    );
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    try {
      const reply = await call(this.service, ended.signal);
      this.succeeded();
      return reply;
    } catch (error) {
      if (!signal.aborted) this.failed(error);
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  /** After a broken connection the end of an outage ends the pause, too. */
  private wakersAfter(error: unknown): Set<() => void>[] {
    return isConnectionFailure(error) ? [this.untilEnd, this.untilReturn] : [this.untilEnd];
  }

  /**
   * Waits for a time at most.
   *
   * @param wakers get the function that ends the wait, until it is over
   */
  pause(ms: number, signal: AbortSignal, wakers: readonly Set<() => void>[] = []): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        for (const waker of wakers) waker.delete(done);
        signal.removeEventListener('abort', done);
        this.refusal.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      for (const waker of wakers) waker.add(done);
      signal.addEventListener('abort', done);
      this.refusal.signal.addEventListener('abort', done);
      if (signal.aborted || this.refusal.signal.aborted) done();
    });
  }

  private succeeded(): void {
    this.verdict.accepted();
    if (this.lostAt === undefined) return;
    const awayMs = performance.now() - this.lostAt;
    this.lostAt = undefined;
    this.options.onEvent({
      level: 'info',
      event: 'service_back',
      message: `The service is back after ${Math.ceil(awayMs / 1_000)} s`,
    });
    this.backListener(awayMs);
    for (const wake of [...this.untilReturn]) wake();
  }

  private failed(error: unknown): void {
    if (isRefusalOfKey(error)) {
      if (this.verdict.refused() && !this.refusal.signal.aborted)
        this.refusal.abort(new KeyRefusedError(messageOf(error)));
      return;
    }
    // any other refusal proves that the service accepts the key
    if (error instanceof ServiceError && error.status < 500 && error.requestId !== undefined) {
      this.verdict.accepted();
      return;
    }
    if (this.lostAt !== undefined) return;
    this.lostAt = performance.now();
    this.options.onEvent({
      level: 'warning',
      event: 'service_lost',
      message: `The service does not answer as it should; trying again until it does (${messageOf(error)})`,
    });
  }
}

/**
 * Returns true if no server received the request. After a refusal or a time-out, another call's success proves nothing:
 * the service is up and overloaded, and a pause that ended early would add to the load.
 */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof UnreachableError)) return false;
  return (error.cause as Partial<Error> | undefined)?.name !== 'TimeoutError';
}

/** The answer of a proxy has no request id, so it is not the service's. A key that can't be sent is as good as refused. */
function isRefusalOfKey(error: unknown): boolean {
  if (error instanceof MalformedCredentialError) return true;
  return error instanceof ServiceError && error.status === 401 && error.requestId !== undefined;
}

/**
 * Returns true for a transient failure: no answer, an error of the service itself, too many requests, and any answer of
 * a proxy.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof KeyRefusedError) return false;
  if (!(error instanceof ServiceError)) return true;
  if (error.status === 413) return false;
  if (error.requestId === undefined || error.status >= 500) return true;
  return [401, 408, 425, 429].includes(error.status);
}

/** @returns the `Retry-After` of an error, limited to an hour; 0 without one */
export function retryAfterMs(error: unknown): number {
  if (!(error instanceof ServiceError)) return 0;
  return Math.min(LONGEST_RETRY_AFTER_MS, (error.retryAfterSeconds ?? 0) * 1_000);
}

import { backoffMs } from '@agent-control-plane/client/internal/backoff';
import { pause } from '@agent-control-plane/client/internal/pause';
import { type Call, type Connections, NoReplyError, type Target } from './connections.js';
import type { Faults } from './plan.js';
import type { Random } from './random.js';
import type { Operation, Recorder } from './recorder.js';

/** Outcome of a call, as the simulation knows it. The agent sees a `lost` one as a timeout. */
export type Outcome =
  | { readonly kind: 'answered'; readonly body: any; readonly sentAt: number; readonly receivedAt: number }
  /** The service answered 200, and the reply was lost. */
  | { readonly kind: 'lost'; readonly body: any; readonly sentAt: number; readonly receivedAt: number }
  /** 429 or 503. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  /** No reply: the effect of the request is unknown. `dropped`: the agent itself closed the connection. */
  | { readonly kind: 'unanswered' | 'dropped' }
  /** The request never reached the service: nothing listened. */
  | { readonly kind: 'unsent' }
  | { readonly kind: 'refused' };

export type Answer = Outcome & { readonly kind: 'answered' };

/** The same value as in `svc run`. */
const FIRST_PAUSE_MS = 500;

export interface RuntimeClientOptions {
  readonly agentId: string;
  readonly key: string;
  readonly target: Target;
  readonly connections: Connections;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly faults: Faults;
  /** Timeout for a reply; milliseconds. */
  readonly replyMs: number;
}

/**
 * One agent's calls: with faults on the way, and tried again as a well-behaved client does. It waits as long as
 * `Retry-After` says, else longer each time, and never at the same moment as all the others.
 */
export class RuntimeClient {
  /** Longest pause between two attempts; milliseconds. */
  maximumPauseMs = 30_000;
  /** Time before which a refused operation must not be retried; milliseconds since 1970. */
  private readonly notBefore = new Map<Operation, number>();
  private readonly headers: readonly string[];
  /** Send and reply times of the answered calls, in turns; milliseconds since 1970. */
  private readonly heard: number[] = [];

  constructor(private readonly options: RuntimeClientOptions) {
    this.headers = ['authorization', `Bearer ${options.key}`];
  }

  /** Time of the last reply; milliseconds since 1970. */
  get lastHeardAt(): number {
    return this.heard.at(-1) ?? 0;
  }

  /** Returns true if a whole call, from request to reply, lies in this time. */
  wasHeard(after: number, before: number): boolean {
    for (let at = this.heard.length - 2; at >= 0; at -= 2) {
      if (this.heard[at]! > after && this.heard[at + 1]! < before) return true;
    }
    return false;
  }

  /** Longest time in which the service may have received nothing; milliseconds. */
  longestSilence(): number {
    let longest = 0;
    // A call was received at some time between its request and its reply.
    let heardAfter = this.heard[0] ?? 0;
    for (let at = 2; at < this.heard.length; at += 2) {
      longest = Math.max(longest, this.heard[at + 1]! - heardAfter);
      heardAfter = Math.max(heardAfter, this.heard[at]!);
    }
    return longest;
  }

  /**
   * @param waitMs how long the service was asked to hold the reply back at most; milliseconds
   * @param idempotencyKey sent with it
   */
  async call(
    operation: Operation,
    { method, path, body }: Pick<Call, 'method' | 'path' | 'body'>,
    waitMs = 0,
    idempotencyKey?: string,
  ): Promise<Outcome> {
    const { target, connections, recorder, replyMs } = this.options;
    const { phase } = recorder;
    const headers = idempotencyKey ? [...this.headers, 'idempotency-key', idempotencyKey] : this.headers;
    const timeoutMs = replyMs + waitMs;
    try {
      const reply = await connections.call({ target, method, path, headers, body, timeoutMs });
      if (reply.status === 200) {
        recorder.answered(operation, reply.tookMs);
        this.heard.push(reply.sentAt, reply.receivedAt);
        const { body, sentAt, receivedAt } = reply;
        return { kind: this.losesReply() ? 'lost' : 'answered', body, sentAt, receivedAt };
      }
      recorder.failed(operation, String(reply.status), phase, reply.sentAt);
      if (reply.status === 503 || reply.status === 429) return this.busy(operation, reply.retryAfter);
      recorder.violated(`${operation} answered ${reply.status}`, JSON.stringify(reply.body));
      return { kind: 'refused' };
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      if (error.kind === 'dropped') return { kind: 'dropped' };
      recorder.failed(operation, error.kind, phase, error.sentAt);
      return { kind: error.kind === 'ECONNREFUSED' ? 'unsent' : 'unanswered' };
    }
  }

  /**
   * Tries until there is an answer; now and then twice at once.
   *
   * @param operation which nobody tries before its last `Retry-After` is over
   * @param attempt makes the request again each time
   * @param ended aborted when it shall give up
   * @returns the answer; null when it gave up
   */
  async persist(
    operation: Operation,
    attempt: () => Promise<Outcome>,
    ended: AbortSignal,
  ): Promise<Answer | null> {
    for (let count = 0; ; count++) {
      await this.untilWanted(operation, ended);
      if (ended.aborted) return null;
      const twice = count === 0 && this.options.random.chance(this.options.faults.duplicates);
      const [outcome] = await Promise.all(twice ? [attempt(), attempt()] : [attempt()]);
      if (outcome.kind === 'answered') return outcome;
      await this.pauseAfter(outcome, count, ended);
      if (ended.aborted) return null;
    }
  }

  /** A refusal holds for all calls of its operation. */
  async untilWanted(operation: Operation, ended: AbortSignal): Promise<void> {
    const leftMs = (this.notBefore.get(operation) ?? 0) - Date.now();
    if (leftMs > 0) await pause(leftMs, ended);
  }

  /** @param failures number of failed attempts before this one */
  async pauseAfter(outcome: Outcome, failures: number, ended: AbortSignal): Promise<void> {
    const wantedMs = outcome.kind === 'busy' ? outcome.retryAfterMs : 0;
    const chance = () => this.options.random.between(0, 1);
    await pause(backoffMs(failures + 1, FIRST_PAUSE_MS, this.maximumPauseMs, wantedMs, chance), ended);
  }

  private losesReply(): boolean {
    return this.options.random.chance(this.options.faults.lostReplies);
  }

  private busy(operation: Operation, retryAfterSeconds: number): Outcome {
    if (!Number.isFinite(retryAfterSeconds))
      this.options.recorder.violated('429 or 503 without Retry-After', operation);
    const retryAfterMs = Number.isFinite(retryAfterSeconds) ? retryAfterSeconds * 1_000 : this.maximumPauseMs;
    this.notBefore.set(operation, Date.now() + retryAfterMs);
    return { kind: 'busy', retryAfterMs };
  }
}

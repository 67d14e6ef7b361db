import { setTimeout as delay } from 'node:timers/promises';
import { type Call, type Connections, NoReplyError, type Target } from './connections.js';
import type { Faults } from './plan.js';
import type { Random } from './random.js';
import type { Operation, Recorder } from './recorder.js';

/** What became of a call, as far as the simulation knows; the agent knows less of a `lost` one. */
export type Outcome =
  | { readonly kind: 'answered'; readonly body: any; readonly sentAt: number; readonly receivedAt: number }
  /** The service answered 200, and the agent never hears of it. */
  | { readonly kind: 'lost'; readonly body: any; readonly sentAt: number; readonly receivedAt: number }
  /** 429 or 503. */
  | { readonly kind: 'busy'; readonly retryAfterMs: number }
  /** No reply: what became of the request is unknown. `dropped`: because the agent itself hung up. */
  | { readonly kind: 'unanswered' | 'dropped' }
  /** It never reached the service: nobody listened. */
  | { readonly kind: 'unsent' }
  | { readonly kind: 'refused' };

export type Answer = Outcome & { readonly kind: 'answered' };

const FIRST_PAUSE_MS = 500;
/** After it has hung up itself an agent need not spare the service. */
const DROPPED_PAUSE_MS = 100;

export interface RuntimeClientOptions {
  readonly agentId: string;
  readonly key: string;
  readonly target: Target;
  readonly connections: Connections;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly faults: Faults;
  /** How long it waits for a reply before it takes it for lost; milliseconds. */
  readonly replyMs: number;
}

/**
 * One agent's calls: with faults on the way, and tried again as a well-behaved client does. It waits as long as
 * `Retry-After` says, else longer each time, and never at the same moment as all the others.
 */
export class RuntimeClient {
  /** No pause between two attempts is longer; milliseconds. */
  maximumPauseMs = 30_000;
  /** When each answered call was sent and when its reply came, in turns; milliseconds since 1970. */
  private readonly heard: number[] = [];

  constructor(private readonly options: RuntimeClientOptions) {}

  /** When the last reply came; milliseconds since 1970. */
  get lastHeardAt(): number {
    return this.heard.at(-1) ?? 0;
  }

  /** Whether a whole call, from request to reply, lay in this time. */
  wasHeard(after: number, before: number): boolean {
    for (let at = this.heard.length - 2; at >= 0; at -= 2) {
      if (this.heard[at]! > after && this.heard[at + 1]! < before) return true;
    }
    return false;
  }

  /** The longest time in which the service may have heard nothing; milliseconds. */
  longestSilence(): number {
    let longest = 0;
    // Of a call it is only known that it was heard between its request and its reply.
    let heardAfter = this.heard[0] ?? 0;
    for (let at = 2; at < this.heard.length; at += 2) {
      longest = Math.max(longest, this.heard[at + 1]! - heardAfter);
      heardAfter = Math.max(heardAfter, this.heard[at]!);
    }
    return longest;
  }

  /** @param waitMs how long the service was asked to hold the reply back at most; milliseconds */
  async call(
    operation: Operation,
    request: Pick<Call, 'method' | 'path' | 'body' | 'headers'>,
    waitMs = 0,
  ): Promise<Outcome> {
    const { target, connections, recorder, key, replyMs } = this.options;
    const { phase } = recorder;
    const timeoutMs = replyMs + waitMs;
    try {
      const reply = await connections.call({ ...request, target, credential: key, timeoutMs });
      if (reply.status === 200) {
        recorder.answered(operation, reply.tookMs);
        this.heard.push(reply.sentAt, reply.receivedAt);
        const { body, sentAt, receivedAt } = reply;
        return { kind: this.losesReply() ? 'lost' : 'answered', body, sentAt, receivedAt };
      }
      recorder.failed(operation, String(reply.status), phase);
      if (reply.status === 503 || reply.status === 429) return this.busy(operation, reply.retryAfter);
      recorder.violated(`${operation} answered ${reply.status}`, JSON.stringify(reply.body));
      return { kind: 'refused' };
    } catch (error) {
      if (!(error instanceof NoReplyError)) throw error;
      if (error.kind === 'dropped') return { kind: 'dropped' };
      recorder.failed(operation, error.kind, phase);
      return { kind: error.kind === 'ECONNREFUSED' ? 'unsent' : 'unanswered' };
    }
  }

  /**
   * Tries until there is an answer; now and then twice at once.
   *
   * @param attempt makes the request anew each time
   * @param ended aborted when it shall give up
   * @returns the answer; null when it gave up
   */
  async persist(attempt: () => Promise<Outcome>, ended: AbortSignal): Promise<Answer | null> {
    for (let count = 0; ; count++) {
      const twice = count === 0 && this.options.random.chance(this.options.faults.duplicates);
      const [outcome] = await Promise.all(twice ? [attempt(), attempt()] : [attempt()]);
      if (outcome.kind === 'answered') return outcome;
      await this.pauseAfter(outcome, count, ended);
      if (ended.aborted) return null;
    }
  }

  /** @param failures how many attempts have failed before this one */
  async pauseAfter(outcome: Outcome, failures: number, ended: AbortSignal): Promise<void> {
    const { random } = this.options;
    const most = Math.min(this.maximumPauseMs, FIRST_PAUSE_MS * 2 ** failures);
    const ms =
      outcome.kind === 'busy'
        ? outcome.retryAfterMs * random.between(1, 1.5)
        : outcome.kind === 'dropped'
          ? DROPPED_PAUSE_MS
          : random.between(most / 2, most);
    await pause(ms, ended);
  }

  private losesReply(): boolean {
    return this.options.random.chance(this.options.faults.lostReplies);
  }

  private busy(operation: Operation, retryAfterSeconds: number): Outcome {
    if (Number.isFinite(retryAfterSeconds)) return { kind: 'busy', retryAfterMs: retryAfterSeconds * 1_000 };
    this.options.recorder.violated('429 or 503 without Retry-After', operation);
    return { kind: 'busy', retryAfterMs: this.maximumPauseMs };
  }
}

/** Sleeps, but not beyond the end. */
export async function pause(milliseconds: number, ended: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal: ended }).catch(() => undefined);
}

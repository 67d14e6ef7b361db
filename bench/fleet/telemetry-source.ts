import { randomUUID } from 'node:crypto';
import { pause } from '@agent-control-plane/client/internal/pause';
import type { Random } from './random.js';
import type { Operation, Recorder } from './recorder.js';
import type { Outcome, RuntimeClient } from './runtime-client.js';

/**
 * Entries sent, by outcome. A batch under a key is stored once and counts once, however often it is sent;
 * one without is stored, and counts, each time.
 */
export interface Tally {
  /** Entries in requests that were answered with 200: they are stored. */
  acknowledged: number;
  /** Entries in requests without a reply: each request may be stored, as a whole. */
  unsure: number;
}

interface Batch {
  readonly operation: Operation & ('logs' | 'metrics');
  readonly body: object;
  readonly entries: number;
  readonly tally: Tally;
}

const LOGS_IN_A_BATCH = 3;
const LEVELS = ['debug', 'info', 'INFO', 'warn', 'error'];

/** The logs and metrics of one agent. */
export class TelemetrySource {
  readonly logs: Tally = { acknowledged: 0, unsure: 0 };
  readonly metrics: Tally = { acknowledged: 0, unsure: 0 };
  private readonly startedAt = performance.now();
  private ended = false;
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly client: RuntimeClient,
    private readonly recorder: Recorder,
    private readonly keyedShare: number,
    private readonly clock: () => string,
  ) {}

  async keepLogging(periodMs: number, random: Random, signal: AbortSignal): Promise<void> {
    await this.keepSending(periodMs, random, signal, () => {
      const logs = Array.from({ length: LOGS_IN_A_BATCH }, (_, index) => ({
        level: random.pick(LEVELS),
        message: `Request ${random.whole(1, 1_000_000)} took ${random.whole(1, 500)} ms`,
        timestamp: this.clock(),
        ...(index === 0 ? { metadata: { trace: random.whole(1, 1_000_000) } } : {}),
      }));
      const batch = {
        operation: 'logs' as const,
        body: { logs },
        entries: LOGS_IN_A_BATCH,
        tally: this.logs,
      };
      return this.send(batch, random, signal);
    });
  }

  async keepMeasuring(periodMs: number, random: Random, signal: AbortSignal): Promise<void> {
    await this.keepSending(periodMs, random, signal, () => {
      const metric = {
        cpu_usage: random.between(0, 100),
        memory_usage: random.between(10, 500),
        uptime_seconds: (performance.now() - this.startedAt) / 1_000,
        requests_processed: random.whole(0, 10_000),
        timestamp: this.clock(),
      };
      const batch = { operation: 'metrics' as const, body: metric, entries: 1, tally: this.metrics };
      return this.send(batch, random, signal);
    });
  }

  /** Begins nothing more, and resolves when all pending requests are answered, so that counts can be compared. */
  async end(): Promise<void> {
    this.ended = true;
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async keepSending(
    periodMs: number,
    random: Random,
    signal: AbortSignal,
    sendOnce: () => Promise<unknown>,
  ): Promise<void> {
    await pause(random.between(0, periodMs), signal);
    while (!signal.aborted && !this.ended) {
      const sending = sendOnce();
      this.underWay.add(sending);
      await sending;
      this.underWay.delete(sending);
      await pause(periodMs, signal);
    }
  }

  private send(batch: Batch, random: Random, ended: AbortSignal) {
    const { operation, body } = batch;
    const key = random.chance(this.keyedShare) ? randomUUID() : undefined;
    const request = { method: 'POST' as const, path: `/agents/${operation}`, body };
    const count = key ? countingOnce(batch) : countingEach(batch);
    const attempt = async () => {
      const outcome = await this.client.call(operation, request, 0, key);
      const fate = this.fateOf(outcome, batch);
      if (fate) count(fate);
      return outcome;
    };
    return this.client.persist(operation, attempt, ended);
  }

  /** @returns undefined where nothing was stored */
  private fateOf(outcome: Outcome, { operation, entries }: Batch): keyof Tally | undefined {
    if (outcome.kind === 'answered' || outcome.kind === 'lost') {
      if (outcome.body.accepted !== entries) {
        this.recorder.violated(`${operation}: not all entries were accepted`, JSON.stringify(outcome.body));
      }
      return 'acknowledged';
    }
    return outcome.kind === 'refused' || outcome.kind === 'unsent' ? undefined : 'unsure';
  }
}

type Counting = (fate: keyof Tally) => void;

function countingEach({ tally, entries }: Batch): Counting {
  return (fate) => {
    tally[fate] += entries;
  };
}

/** All requests carry one batch, so the most certain outcome counts. */
function countingOnce({ tally, entries }: Batch): Counting {
  let known: keyof Tally | undefined;
  return (fate) => {
    if (known === 'acknowledged' || known === fate) return;
    if (known) tally[known] -= entries;
    tally[fate] += entries;
    known = fate;
  };
}

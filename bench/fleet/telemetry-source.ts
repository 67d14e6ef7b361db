import type { Random } from './random.js';
import type { Operation, Recorder } from './recorder.js';
import { type Outcome, pause, type RuntimeClient } from './runtime-client.js';

/** Entries sent, by what became of them. What is sent twice is stored twice, and counted twice here. */
export interface Tally {
  /** In requests that were answered with 200: they are there. */
  acknowledged: number;
  /** In requests of which nobody knows: they may be there, each request as a whole. */
  unsure: number;
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
      return this.send('logs', { logs }, LOGS_IN_A_BATCH, this.logs, signal);
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
      return this.send('metrics', metric, 1, this.metrics, signal);
    });
  }

  /** Begins nothing more; resolves when what was under way has been answered, so that counts can be compared. */
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

  private send(
    operation: Operation & ('logs' | 'metrics'),
    body: object,
    entries: number,
    tally: Tally,
    ended: AbortSignal,
  ) {
    return this.client.persist(async () => {
      const outcome = await this.client.call(operation, {
        method: 'POST',
        path: `/agents/${operation}`,
        body,
      });
      this.count(operation, outcome, entries, tally);
      return outcome;
    }, ended);
  }

  private count(operation: Operation, outcome: Outcome, entries: number, tally: Tally): void {
    if (outcome.kind === 'answered' || outcome.kind === 'lost') {
      if (outcome.body.accepted !== entries) {
        this.recorder.violated(`${operation}: not all entries were accepted`, JSON.stringify(outcome.body));
      }
      tally.acknowledged += entries;
    } else if (outcome.kind !== 'refused' && outcome.kind !== 'unsent') tally.unsure += entries;
  }
}

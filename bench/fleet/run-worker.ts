import { randomUUID } from 'node:crypto';
import { pause } from '@agent-control-plane/client/internal/pause';
import type { Random } from './random.js';
import type { ClaimedRun, RunLedger } from './run-ledger.js';
import type { RuntimeClient } from './runtime-client.js';
import type { SpanSource } from './span-source.js';

/** How long a simulated run takes; milliseconds. */
const SHORTEST_MS = 100;
const LONGEST_MS = 2_000;
/** Pause of an agent that has nothing deployed, before it looks again; milliseconds. */
const IDLE_PAUSE_MS = 1_000;

export interface RunWorkerOptions {
  readonly agentId: string;
  readonly client: RuntimeClient;
  readonly ledger: RunLedger;
  readonly random: Random;
  readonly spans: SpanSource;
  /** Share of the runs that export spans. */
  readonly traced: number;
  /** Share of the runs that fail. */
  readonly failures: number;
  readonly waitSeconds: number;
  /** Returns true if the agent has an active deployment, as it knows itself. */
  readonly isDeployed: () => boolean;
  /** Aborted when the agent ends permanently. Cut connections do not end a run. */
  readonly ended: AbortSignal;
}

/** Takes runs one after the other, as a runtime with one slot does. */
export class RunWorker {
  private readonly has = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();
  /** The key of a claim whose reply was lost: the next one repeats it. */
  private key = randomUUID();

  constructor(private readonly options: RunWorkerOptions) {}

  /** Ids of the runs that the agent has, for heartbeats and registrations. */
  held(): readonly string[] {
    return [...this.has];
  }

  async keepWorking(signal: AbortSignal): Promise<void> {
    const { client, waitSeconds, random, isDeployed } = this.options;
    for (let failures = 0; !signal.aborted;) {
      if (!isDeployed()) {
        await pause(IDLE_PAUSE_MS, signal);
        continue;
      }
      await client.untilWanted('claim', signal);
      if (signal.aborted) return;
      const begunAt = performance.now();
      const limit = this.has.size === 0 ? 1 : 0;
      const request = {
        method: 'POST' as const,
        path: '/agents/runs/claim',
        body: { limit, wait: waitSeconds },
      };
      const outcome = await client.call('claim', request, waitSeconds * 1_000, this.key);
      if (outcome.kind !== 'answered') {
        await client.pauseAfter(outcome, failures++, signal);
        continue;
      }
      failures = 0;
      this.key = randomUUID();
      const runs: readonly ClaimedRun[] = outcome.body.runs;
      for (const run of runs) this.take(run);
      const early = runs.length === 0 && performance.now() - begunAt < (waitSeconds * 1_000) / 2;
      if (early) await pause(random.between(200, 1_000), signal);
    }
  }

  /** Resolves when no run is under way. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private take(run: ClaimedRun): void {
    this.options.ledger.taken(this.options.agentId, run);
    this.has.add(run.run_id);
    const work = this.carryOut(run.run_id);
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  private async carryOut(runId: string): Promise<void> {
    const { client, ledger, random, spans, traced, failures, ended } = this.options;
    await pause(random.between(SHORTEST_MS, LONGEST_MS), ended);
    // before the end, as a program does that waits for its exporter
    if (random.chance(traced)) await spans.export(runId);
    const status = random.chance(failures) ? 'failed' : 'succeeded';
    ledger.ended(runId, status);
    const key = randomUUID();
    const request = {
      method: 'POST' as const,
      path: '/agents/runs',
      body: { runs: [{ run_id: runId, status, output: { took: 'a moment' } }] },
    };
    const attempt = async () => {
      const outcome = await client.call('report', request, 0, key);
      if (outcome.kind === 'answered' || outcome.kind === 'lost')
        ledger.answered(runId, outcome.body.runs[0]?.status ?? null);
      return outcome;
    };
    await client.persist('report', attempt, ended);
    this.has.delete(runId);
  }
}

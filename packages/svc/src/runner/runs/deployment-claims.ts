import { randomUUID } from 'node:crypto';
import { ServiceError, unwrap } from '@agent-control-plane/client';
import { Backoff } from '@agent-control-plane/client/internal/runtime/backoff';
import { PollWait } from '@agent-control-plane/client/internal/runtime/poll-wait';
import { requireRuns } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';
import type { components } from '@agent-control-plane/client/internal/generated/schema';

export type ClaimedRun = components['schemas']['ClaimedRunResponse'];

/** Maximum number of runs in one claim, by the service's limit. */
const MOST_RUNS = 100;
/** Time after a claim's own wait without an answer, after which the connection counts as dead. */
const PATIENCE_MS = 15_000;
/** An empty answer within this time came without a wait. */
const EARLY_MS = 1_000;
/** Rests after runs that could not be stored. */
const REST_MS = { first: 1_000, longest: 60_000 };

/** The parts of the runner that a deployment's claims use. */
export interface ClaimHost {
  /** Number of free slots. */
  room(): number;
  /**
   * Takes runs and writes them to the disk. Runs that it has already are ignored.
   *
   * @returns false if one could not be stored, and was given back
   */
  take(runs: readonly ClaimedRun[]): Promise<boolean>;
  endEarly(runIds: readonly string[]): void;
  /**
   * Stores the key of a claim before it is sent: the next runner repeats the claim, and gets the runs whose reply was lost.
   *
   * @throws if it can't be stored
   */
  keep(key: string): Promise<void>;
  onFailure(error: unknown): void;
}

/** Claims runs for one deployment, as many as it has free slots. With none it waits for cancellations. */
export class DeploymentClaims {
  private readonly wait = new PollWait();
  /** A claim that was sent, and whose answer is not here yet. */
  private isUnanswered: boolean;
  /** True if an answer to it may have been lost. */
  private isLost = false;
  private isWaitingForRoom = false;
  private readonly rests = new Backoff(REST_MS.first, REST_MS.longest);
  private isResting = false;
  private interruption = new AbortController();
  private asking: Promise<unknown> = Promise.resolve();

  /** @param key of a claim of an earlier runner that was not answered */
  constructor(
    private readonly link: ServiceLink,
    private readonly deploymentId: string,
    private readonly host: ClaimHost,
    private key?: string,
  ) {
    this.isUnanswered = key !== undefined;
  }

  /** True if the service may have given runs that this runner does not know of. */
  get isInDoubt(): boolean {
    return this.isUnanswered && this.isLost;
  }

  /** Claims again at once if a slot has become free. */
  roomChanged(): void {
    if (this.isWaitingForRoom && !this.isResting && this.host.room() > 0) this.interruption.abort();
  }

  /** Claims nothing for a while: the service would give the run at once again, with a step of its history each time. */
  private rest(): void {
    this.isResting = true;
    const end = () => {
      this.isResting = false;
      this.roomChanged();
    };
    setTimeout(end, this.rests.next()).unref();
  }

  /** Ends the claim under way. */
  interrupt(): void {
    this.interruption.abort();
  }

  /**
   * Claims until the signal aborts.
   *
   * @param gate resolves when claims are allowed @throws KeyRefusedError, or the signal's reason
   */
  async run(gate: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const early = new Backoff(500, 5_000);
    for (;;) {
      await gate();
      signal.throwIfAborted();
      const asked = performance.now();
      this.interruption = new AbortController();
      const { signal: interrupted } = this.interruption;
      const asking = this.ask(this.wait.seconds, AbortSignal.any([signal, interrupted]));
      this.asking = asking.catch(() => undefined);
      const hasNews = await asking.catch((error: unknown) => {
        this.link.refused.throwIfAborted();
        if (error instanceof ServiceError) this.answered();
        if (!interrupted.aborted && !signal.aborted) this.host.onFailure(error);
        return interrupted.aborted;
      });
      // a service that is ending answers early, and so does one that does not wait; a pause avoids a tight loop
      if (!hasNews && performance.now() - asked < EARLY_MS) await this.link.pause(early.next(), signal);
      else early.reset();
    }
  }

  /** Repeats a claim whose answer is not here, so that no run is claimed that this runner does not know. */
  async settle(signal: AbortSignal): Promise<void> {
    await this.asking;
    while (this.isUnanswered) {
      await this.claim(1, 0, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        this.link.refused.throwIfAborted();
        // refused, so it was given nothing
        this.answered();
        this.host.onFailure(error);
      });
    }
  }

  /** @returns true if there was news */
  private async ask(waitSeconds: number, signal: AbortSignal): Promise<boolean> {
    const room = this.isResting ? 0 : Math.min(this.host.room(), MOST_RUNS);
    this.isWaitingForRoom = room === 0;
    return this.claim(room, waitSeconds, signal);
  }

  private async claim(limit: number, waitSeconds: number, signal: AbortSignal): Promise<boolean> {
    const body = { limit, deployment_id: this.deploymentId, wait: waitSeconds };
    const key = limit > 0 ? await this.keyOfClaim() : randomUUID();
    if (limit > 0) this.isUnanswered = true;
    const reply = await this.link.retryTransient(
      async (service, ended) => {
        const began = performance.now();
        const params = { header: { 'Idempotency-Key': key } };
        const claim = unwrap(service.POST('/agents/runs/claim', { params, body, signal: ended }));
        return claim.then(requireRuns).catch((error: unknown) => {
          if (limit > 0) this.isLost = true;
          this.wait.failed(error, performance.now() - began);
          throw error;
        });
      },
      signal,
      waitSeconds * 1_000 + PATIENCE_MS,
    );
    const { runs, cancel_runs: cancelled = [] } = reply;
    if (runs.length > 0) {
      if (await this.host.take(runs)) this.rests.reset();
      else this.rest();
      // the same key would get the same runs again
      this.key = undefined;
    }
    if (limit > 0) this.answered();
    this.host.endEarly(cancelled);
    return runs.length > 0 || cancelled.length > 0;
  }

  /** It was given runs that are on the disk now, or none. */
  private answered(): void {
    this.isUnanswered = false;
    this.isLost = false;
  }

  private async keyOfClaim(): Promise<string> {
    if (this.key !== undefined) return this.key;
    const key = randomUUID();
    await this.host.keep(key);
    this.key = key;
    return key;
  }
}

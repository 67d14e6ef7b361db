import { randomUUID } from 'node:crypto';
import type { components } from '../generated/schema.js';
import { unwrap } from '../service-client.js';
import { ServiceError } from '../service-errors.js';
import { Backoff } from './backoff.js';
import type { CallGate } from './call-gate.js';
import { PollWait } from './poll-wait.js';
import { requireRuns } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';
import type { ServiceLink } from './service-link.js';

export type GivenRun = components['schemas']['ClaimedRunResponse'];
type Given = components['schemas']['ClaimedRunsResponse'];

/** Time after a claim's own wait without an answer, after which the connection counts as dead. */
const PATIENCE_MS = 15_000;
/** An empty answer within this time came without a wait. */
const EARLY_MS = 1_000;
/** Pause before a service that knows no runs is asked again: it may be newer by then. */
const UNKNOWN_PAUSE_MS = 60_000;

/** The runtime to which the claims belong: it knows the room, and takes the runs. */
export interface ClaimHost {
  /** The deployment that does the work; undefined: none does. */
  deploymentId(): string | undefined;
  freeSlots(): number;
  /** True if runs are under way, which a person may cancel. */
  hasRuns(): boolean;
  take(given: readonly GivenRun[]): void;
  cancel(runIds: readonly string[]): void;
}

interface Claim {
  readonly limit: number;
  readonly deploymentId: string | undefined;
  /** Sent with each attempt: the service then gives the same runs, also if its first answer was lost. */
  readonly key: string;
}

/** Asks for as many runs as there is room for, and hears which are to be ended early. */
export class RunClaims {
  private readonly wait = new PollWait();
  private readonly early = new Backoff(500, 5_000);
  private readonly refusals = new Backoff(1_000, 60_000);
  /** Aborted when the claim under way should end: it takes none, and there is room now, or a registration waits. */
  private interruption = new AbortController();
  /** A claim without an answer: runs may have been given to it. */
  private unsettled: Claim | undefined;
  /** True if an answer to it may have been lost. */
  private isLost = false;
  private isIdle = true;
  private isUnknown = false;
  /** Time to wait before the next claim. */
  private pauseMs = 0;
  private wake: () => void = () => undefined;

  constructor(
    private readonly link: ServiceLink,
    private readonly gate: CallGate,
    private readonly host: ClaimHost,
    private readonly onEvent: EventListener,
  ) {}

  /** Follows a change of the room or of the deployments. */
  changed(): void {
    if (!this.isUnknown) this.wake();
    if (this.isIdle && (this.compose()?.limit ?? 0) > 0) this.interruption.abort();
  }

  /** True if this process may have runs that it does not know of, because an answer was lost. */
  get isInDoubt(): boolean {
    return this.unsettled !== undefined && this.isLost;
  }

  /** Ends the claim under way. */
  interrupt(): void {
    this.interruption.abort();
  }

  /** Asks until the signal aborts. @throws KeyRefusedError, or the signal's reason */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      this.link.refused.throwIfAborted();
      if (!this.unsettled && !this.compose()) await this.pause(2 ** 31 - 1, signal);
      else await this.gate.beside(() => this.ask(signal));
      const pauseMs = this.pauseMs;
      this.pauseMs = 0;
      if (pauseMs > 0) await this.pause(pauseMs, signal);
    }
  }

  /**
   * Learns what became of a claim that was interrupted: runs may have been given to it.
   *
   * @throws KeyRefusedError, or the signal's reason
   */
  async settle(signal: AbortSignal): Promise<void> {
    const claim = this.unsettled;
    if (!claim) return;
    await this.claim(claim, 0, signal);
  }

  private compose(): Claim | undefined {
    const deploymentId = this.host.deploymentId();
    const limit = deploymentId === undefined ? 0 : this.host.freeSlots();
    if (limit === 0 && !this.host.hasRuns()) return undefined;
    return { limit, deploymentId: limit > 0 ? deploymentId : undefined, key: randomUUID() };
  }

  private async ask(signal: AbortSignal): Promise<void> {
    this.interruption = new AbortController();
    const claim = this.unsettled ?? this.compose();
    if (!claim) return;
    this.isIdle = claim.limit === 0;
    if (!this.isIdle) this.unsettled = claim;
    const { signal: interrupted } = this.interruption;
    try {
      await this.claim(claim, this.wait.seconds, AbortSignal.any([signal, interrupted]));
    } catch (error) {
      signal.throwIfAborted();
      if (!interrupted.aborted) throw error;
    }
  }

  private async claim({ limit, deploymentId, key }: Claim, wait: number, signal: AbortSignal): Promise<void> {
    const asked = performance.now();
    const body = { limit, wait, ...(deploymentId !== undefined && { deployment_id: deploymentId }) };
    const params = { header: { 'Idempotency-Key': key } };
    const reply = await this.link
      .retryTransient(
        async (service, ended) => {
          const began = performance.now();
          const claim = unwrap(service.POST('/agents/runs/claim', { body, params, signal: ended }));
          return claim.then(requireRuns).catch((error: unknown) => {
            this.isLost = limit > 0;
            this.wait.failed(error, performance.now() - began);
            throw error;
          });
        },
        signal,
        wait * 1_000 + PATIENCE_MS,
      )
      .catch((error: unknown): Given => {
        if (!(error instanceof ServiceError)) throw error;
        this.pauseMs = this.afterRefusal(error);
        return { runs: [], cancel_runs: [] };
      });
    this.unsettled = undefined;
    this.isLost = false;
    this.host.cancel(reply.cancel_runs ?? []);
    this.host.take(reply.runs);
    if (this.pauseMs > 0) return;
    this.refusals.reset();
    this.isUnknown = false;
    const hasNews = reply.runs.length + (reply.cancel_runs ?? []).length > 0;
    // a service that is ending answers early, and so does one that does not wait; a pause avoids a tight loop
    if (!hasNews && performance.now() - asked < EARLY_MS) this.pauseMs = this.early.next();
    else this.early.reset();
  }

  /** @returns the pause before the next claim: the deployment may have ended meanwhile, or the service knows no runs */
  private afterRefusal(error: ServiceError): number {
    const wasUnknown = this.isUnknown;
    this.isUnknown = error.status === 405 || (error.status === 404 && error.code !== 'not_found');
    if (!this.isUnknown) return this.refusals.next();
    if (!wasUnknown) {
      const message = `The service gives no runs, it is an older one: ${error.detail}`;
      this.onEvent({ level: 'warning', event: 'runs_unknown', message });
    }
    return UNKNOWN_PAUSE_MS;
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const end = () => woken.abort();
    this.wake = end;
    signal.addEventListener('abort', end);
    await this.link.pause(ms, woken.signal);
    signal.removeEventListener('abort', end);
  }
}

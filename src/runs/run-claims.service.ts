import { Inject, Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import { LongPolls } from '../http/long-polls.js';
import type { Look, PollCaller } from '../http/pending-poll.js';
import { RunQueueService } from './run-queue.service.js';
import type { RunQueueState } from './run.types.js';
import { type Claim, type Claimed, RunTakingService } from './run-taking.service.js';

/** Maximum number of concurrent claims of one agent: it may have one for each of its slots. */
const MAXIMUM_CLAIMS = 32;

/** Gives runs to the runtimes that ask for them, never more than they ask for. */
@Injectable()
export class RunClaimsService {
  private readonly polls: LongPolls<Claimed>;

  constructor(
    private readonly queue: RunQueueService,
    private readonly taking: RunTakingService,
    private readonly presence: PresenceService,
    drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.polls = new LongPolls(drain, MAXIMUM_CLAIMS);
    queue.onChange((agentId) => this.polls.wake(agentId));
    queue.onMissedChanges(() => this.polls.wakeAll());
  }

  /** Time without a call after which an agent counts as lost, and its runs as abandoned; seconds. */
  get leaseSeconds(): number {
    return this.settings.HEARTBEAT_TIMEOUT_SECONDS;
  }

  /** Starts a claim, which waits for a run; see {@link LongPolls.poll}. */
  claim({ agentId }: AgentPrincipal, waitMs: number, caller: PollCaller<Claimed>): void {
    this.presence.markSeen(agentId);
    this.polls.poll(agentId, waitMs, caller);
  }

  /**
   * Takes runs for a claim, if there are any. Returns without a promise if the agent's queue is cached as empty.
   *
   * @param isWoken true: a change has woken the claim, so it is also answered to name the runs that are to be ended early
   * @throws UnauthenticatedError if a run is due, and the caller's credential was revoked in the meantime
   * @throws NotFoundError, RefusedError if the named deployment is not the agent's, or not active
   */
  look(
    principal: AgentPrincipal,
    claim: Claim,
    isWoken: boolean,
    caller: Pick<PollCaller<unknown>, 'reply' | 'assertAllowed'>,
  ): Look<Claimed> | Promise<Look<Claimed>> {
    const state = this.queue.stateOf(principal.agentId);
    if (state instanceof Promise)
      return state.then((known) => this.lookAt(known, principal, claim, isWoken, caller));
    return this.lookAt(state, principal, claim, isWoken, caller);
  }

  private lookAt(
    { isDue, nextDueMs, toCancel, claimKeys }: RunQueueState,
    principal: AgentPrincipal,
    claim: Claim,
    isWoken: boolean,
    caller: Pick<PollCaller<unknown>, 'reply' | 'assertAllowed'>,
  ): Look<Claimed> | Promise<Look<Claimed>> {
    const isRepeated = claim.key !== undefined && claimKeys.includes(claim.key.toString('hex'));
    if (claim.limit > 0 && (isDue || isRepeated))
      return this.take(principal, claim, toCancel, caller).then((found) => ({ found, nextDueMs }));
    const found = isWoken && toCancel.length > 0 ? { runs: [], toCancel, isRepeated: false } : null;
    return { found, nextDueMs };
  }

  private async take(
    principal: AgentPrincipal,
    claim: Claim,
    toCancel: readonly string[],
    caller: Pick<PollCaller<unknown>, 'reply' | 'assertAllowed'>,
  ): Promise<Claimed | null> {
    // Checked after the queue was read: a run that was asked for after the revocation of a key must not reach its holder.
    await caller.assertAllowed();
    if (caller.reply.closed) return null;
    const taken = await this.taking.take(principal, claim);
    return taken.runs.length > 0 ? { ...taken, toCancel } : null;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import type { WaitingCaller } from '../access/waiting-caller.js';
import { PresenceService } from '../agents/presence.service.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import { type Look, LongPolls } from '../http/long-polls.js';
import type { ClaimRunsRequest } from './dto/runtime-run.requests.js';
import { RunQueueService } from './run-queue.service.js';
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

  /**
   * Takes runs, as soon as there are any. Resolves to null if there are none within the time.
   *
   * @throws UnauthenticatedError if the caller's credential was revoked in the meantime
   * @throws NotFoundError, RefusedError if the named deployment is not the agent's, or not active
   */
  async claim(
    principal: AgentPrincipal,
    { limit, deployment_id: deploymentId, wait }: ClaimRunsRequest,
    request: KeyedRequest | undefined,
    caller: WaitingCaller,
  ): Promise<Claimed | null> {
    const { agentId } = principal;
    this.presence.markSeen(agentId);
    const claim = { limit, deploymentId: deploymentId ?? undefined, key: request?.keyHash };
    const claimed = await this.polls.wait(agentId, wait * 1_000, caller, (hasWaited) =>
      this.look(principal, claim, hasWaited, caller),
    );
    if (claimed?.isRepeated) request?.markReplayed();
    return claimed;
  }

  /** @param hasWaited true: a change has woken the claim, so it is also answered to name the runs that are to be ended early */
  private async look(
    principal: AgentPrincipal,
    claim: Claim,
    hasWaited: boolean,
    caller: WaitingCaller,
  ): Promise<Look<Claimed>> {
    const { isDue, nextDueMs, toCancel, claimKeys } = await this.queue.stateOf(principal.agentId);
    const isRepeated = claim.key !== undefined && claimKeys.includes(claim.key.toString('hex'));
    if (claim.limit > 0 && (isDue || isRepeated))
      return { found: await this.take(principal, claim, toCancel, caller), nextDueMs };
    const found = hasWaited && toCancel.length > 0 ? { runs: [], toCancel, isRepeated: false } : null;
    return { found, nextDueMs };
  }

  private async take(
    principal: AgentPrincipal,
    claim: Claim,
    toCancel: readonly string[],
    caller: WaitingCaller,
  ): Promise<Claimed | null> {
    // Checked after the queue was read: a run that was asked for after the revocation of a key must not reach its holder.
    await caller.assertAllowed();
    if (caller.reply.closed) return null;
    const taken = await this.taking.take(principal, claim);
    return taken.runs.length > 0 ? { ...taken, toCancel } : null;
  }
}

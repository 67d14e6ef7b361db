import type { AgentPrincipal } from '../access/principal.js';
import { type Connected, HeldReply } from '../http/held-reply.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import type { Look, PollCaller } from '../http/pending-poll.js';
import type { ClaimRunsRequest } from './dto/runtime-run.requests.js';
import { toClaimedRunsResponse } from './dto/runtime-run.responses.js';
import type { RunClaimsService } from './run-claims.service.js';
import type { Claimed } from './run-taking.service.js';

/** The runtime whose claim waits. */
export class ClaimingRuntime extends HeldReply implements PollCaller<Claimed> {
  constructor(
    private readonly claims: RunClaimsService,
    private readonly principal: AgentPrincipal,
    private readonly body: ClaimRunsRequest,
    private readonly request: KeyedRequest | undefined,
    connected: Connected,
  ) {
    super(connected);
  }

  look(isWoken: boolean): Look<Claimed> | Promise<Look<Claimed>> {
    const { limit, deployment_id: deploymentId } = this.body;
    const claim = { limit, deploymentId: deploymentId ?? undefined, key: this.request?.keyHash };
    return this.claims.look(this.principal, claim, isWoken, this);
  }

  answer(claimed: Claimed | null): void {
    if (claimed?.isRepeated) this.request?.markReplayed();
    this.reply.json(toClaimedRunsResponse(claimed, this.claims.leaseSeconds));
  }
}

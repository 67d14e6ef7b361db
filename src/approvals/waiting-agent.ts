import type { AgentPrincipal } from '../access/principal.js';
import { type Connected, HeldReply } from '../http/held-reply.js';
import type { Look, PollCaller } from '../http/pending-poll.js';
import type { ApprovalEntity } from './approval.entity.js';
import { toApprovalResponse } from './approval.response.js';
import type { ApprovalWaitingService } from './approval-waiting.service.js';

/** The runtime that waits for the answer to a question. */
export class WaitingAgent extends HeldReply implements PollCaller<ApprovalEntity> {
  private pending: ApprovalEntity | undefined;

  constructor(
    private readonly waiting: ApprovalWaitingService,
    private readonly principal: AgentPrincipal,
    private readonly approvalId: string,
    connected: Connected,
  ) {
    super(connected);
  }

  look(): Promise<Look<ApprovalEntity>> {
    return this.waiting.look(this.principal, this.approvalId, this, (pending) => (this.pending = pending));
  }

  /** Without an answer it gets the question as it is. Undefined: it had disconnected before that was read. */
  answer(found: ApprovalEntity | null): void {
    const shown = found ?? this.pending;
    if (shown) this.reply.json(toApprovalResponse(shown));
  }
}

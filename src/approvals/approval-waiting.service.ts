import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import type { WaitingCaller } from '../access/waiting-caller.js';
import { PresenceService } from '../agents/presence.service.js';
import { NotFoundError } from '../errors/domain-error.js';
import { Drain } from '../http/drain.js';
import { type Look, LongPolls } from '../http/long-polls.js';
import { ApprovalAnswersService } from './approval-answers.service.js';
import { ApprovalNewsService } from './approval-news.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { TimedApproval } from './approvals.repository.js';

/** Maximum number of an agent's requests that wait for one approval; a runtime needs one, and two when it reconnects. */
const MAXIMUM_POLLS = 8;

/** Long polling: answers as soon as a person has decided, on whichever instance. */
@Injectable()
export class ApprovalWaitingService {
  private readonly polls: LongPolls<ApprovalEntity>;

  constructor(
    private readonly answers: ApprovalAnswersService,
    private readonly presence: PresenceService,
    news: ApprovalNewsService,
    drain: Drain,
  ) {
    this.polls = new LongPolls(drain, MAXIMUM_POLLS);
    news.onDecided((id) => this.polls.wake(id));
    news.onMissed(() => this.polls.wakeAll());
  }

  /**
   * The answer to an agent's question; the question as it is when the time is over. The run continues only if there is a caller
   * to give the answer to.
   *
   * @throws NotFoundError if the agent has not asked so
   * @throws UnauthenticatedError if the caller's credential was revoked in the meantime
   */
  async wait(
    principal: AgentPrincipal,
    id: string,
    waitMs: number,
    caller: WaitingCaller,
  ): Promise<ApprovalEntity> {
    this.presence.markSeen(principal.agentId);
    // Set by the first look.
    let read!: TimedApproval;
    const answered = await this.polls.wait(id, waitMs, caller, async (): Promise<Look<ApprovalEntity>> => {
      read = await this.find(principal, id);
      if (read.state === 'pending' && read.leftMs > 0) return { found: null, nextDueMs: read.leftMs };
      await caller.assertAllowed();
      if (caller.reply.closed) return { found: null, nextDueMs: null };
      return { found: await this.answers.fetch(principal, id), nextDueMs: 0 };
    });
    return answered ?? read;
  }

  private async find(principal: AgentPrincipal, id: string): Promise<TimedApproval> {
    const read = await this.answers.find(principal, id);
    if (!read) throw new NotFoundError('Approval');
    return read;
  }
}

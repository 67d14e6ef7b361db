import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { NotFoundError } from '../errors/domain-error.js';
import { Drain } from '../http/drain.js';
import { LongPolls } from '../http/long-polls.js';
import type { Look, PollCaller } from '../http/pending-poll.js';
import { ApprovalAnswersService } from './approval-answers.service.js';
import { ApprovalNewsService } from './approval-news.service.js';
import type { ApprovalEntity } from './approval.entity.js';

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

  /** See {@link LongPolls.poll}. */
  poll({ agentId }: AgentPrincipal, id: string, waitMs: number, caller: PollCaller<ApprovalEntity>): void {
    this.presence.markSeen(agentId);
    this.polls.poll(id, waitMs, caller);
  }

  /**
   * Looks for an answer. The run continues only if there is a person to give it to.
   *
   * @param show gets the approval as it is while nobody has decided
   * @throws NotFoundError if the agent has not asked so
   * @throws UnauthenticatedError if there is an answer, and the caller's credential was revoked in the meantime
   */
  async look(
    principal: AgentPrincipal,
    id: string,
    caller: Pick<PollCaller<unknown>, 'reply' | 'assertAllowed'>,
    show: (pending: ApprovalEntity) => void,
  ): Promise<Look<ApprovalEntity>> {
    const read = await this.answers.find(principal, id);
    if (!read) throw new NotFoundError('Approval');
    show(read);
    if (read.state === 'pending' && read.leftMs > 0) return { found: null, nextDueMs: read.leftMs };
    await caller.assertAllowed();
    if (caller.reply.closed) return { found: null, nextDueMs: null };
    return { found: await this.answers.fetch(principal, id), nextDueMs: 0 };
  }
}

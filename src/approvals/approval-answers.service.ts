import { Injectable } from '@nestjs/common';
import { actorOf, type AgentPrincipal } from '../access/principal.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import { Database } from '../database/database.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ApprovalExpiryService } from './approval-expiry.service.js';
import { ApprovalRunsService } from './approval-runs.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import { ApprovalsRepository, type TimedApproval } from './approvals.repository.js';

/** Gives answers to the agents that have asked. */
@Injectable()
export class ApprovalAnswersService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly expiry: ApprovalExpiryService,
    private readonly runs: ApprovalRunsService,
    private readonly transactions: AgentTransactionsService,
    private readonly database: Database,
  ) {}

  /** A question of the agent, as it is now. */
  find({ agentId }: AgentPrincipal, id: string): Promise<TimedApproval | null> {
    return this.approvals.findOfAgent(this.database.runtimes.manager, agentId, id);
  }

  /**
   * The answer to a question, which the agent has from then on: its run continues, unless it waits for another one. One whose time is
   * over expires. Null: nobody has decided.
   *
   * @throws NotFoundError
   */
  fetch(principal: AgentPrincipal, id: string): Promise<ApprovalEntity | null> {
    return this.transactions.run(principal, async (tx, agent) => {
      const found = await this.approvals.lock(tx, agent.id, id);
      if (!found) throw new NotFoundError('Approval');
      const approval = await this.expiry.expireIfOver(tx, found);
      if (approval.state === 'pending') return null;
      if (approval.fetchedAt !== null) return approval;
      const fetched = await this.approvals.update(tx, id, { fetchedAt: () => 'now()' });
      await this.runs.goOn(tx, actorOf(principal), fetched);
      return fetched;
    });
  }
}

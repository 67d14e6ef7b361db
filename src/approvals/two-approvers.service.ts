import { Injectable } from '@nestjs/common';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, ForbiddenError } from '../errors/domain-error.js';
import { RunApprovalsService } from '../runs/run-approvals.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { Verdict } from './approval.types.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { canonicalJson } from './canonical-json.js';

/** Which approvals need two people, and whether they agree. */
@Injectable()
export class TwoApproversService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly runs: RunApprovalsService,
  ) {}

  /**
   * Returns true if a decision counts: one person is enough, or another one has decided the same. Who says no needs nobody else.
   *
   * @throws ForbiddenError if the caller may not be one of the two
   * @throws ConflictError if the caller is the first of the two
   */
  async isEnough(
    tx: Transaction,
    caller: UserPrincipal,
    approval: ApprovalEntity,
    { decision, editedArgs }: Verdict,
  ): Promise<boolean> {
    if (decision !== 'approve' && decision !== 'edit') return true;
    if ((await this.approvals.twoApproversFor(tx, approval.projectId)) !== approval.risk) return true;
    const actor = actorOf(caller);
    if (caller.credential === 'project_key')
      throw new ForbiddenError('forbidden', 'Two people have to approve it: a key of the project is none');
    if (approval.runId !== null) {
      const run = await this.runs.lock(tx, approval.agentId, approval.runId);
      if (run?.actor === actor)
        throw new ForbiddenError('forbidden', 'Whoever asked for the run can not approve what it does');
    }
    const isSame =
      approval.firstApprovedBy !== null &&
      canonicalJson(approval.editedArgs) === canonicalJson(editedArgs ?? null);
    if (isSame && approval.firstApprovedBy === actor)
      throw new ConflictError('conflict', 'You have approved it: another person has to approve it, too');
    return isSame;
  }
}

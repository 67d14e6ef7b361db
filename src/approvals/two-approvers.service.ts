import { Injectable } from '@nestjs/common';
import { identityOf, type UserPrincipal } from '../access/principal.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, ForbiddenError } from '../errors/domain-error.js';
import { RunApprovalsService } from '../runs/run-approvals.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { Verdict } from './approval.types.js';
import { ApproversRepository } from './approvers.repository.js';
import { canonicalJson } from './canonical-json.js';

/** The beginning of the identity of a person. */
const USER = 'user:';

/** The approvals that need two people, and whether these agree. */
@Injectable()
export class TwoApproversService {
  constructor(
    private readonly approvers: ApproversRepository,
    private readonly runs: RunApprovalsService,
  ) {}

  /**
   * Returns true if a decision counts: one person is enough, or another one has decided the same, and still may. Who says no needs
   * nobody else.
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
    const { projectId, risk, firstApprovedBy: first } = approval;
    if ((await this.approvers.twoApproversFor(tx, projectId)) !== risk) return true;
    const self = identityOf(caller);
    if (caller.credential === 'project_key')
      throw new ForbiddenError(
        'project_key_refused',
        "This approval requires two people, and a project's key is not a person: approve it with your own account",
      );
    const askers = await this.askersOf(tx, approval);
    if (askers.includes(self))
      throw new ForbiddenError(
        'approver_refused',
        "The requester of the run can't approve its actions: another person must decide",
      );
    if (first === null || canonicalJson(approval.editedArgs) !== canonicalJson(editedArgs ?? null))
      return false;
    if (first === self)
      throw new ConflictError(
        'already_approved',
        'You have approved it already: a second person must approve it, too',
      );
    if (askers.includes(first)) return false;
    return this.approvers.mayApprove(tx, projectId, first.slice(USER.length));
  }

  /**
   * The identities at whose request the run was made, if there is one: of an asking key, the person whose key it is.
   *
   * @throws ForbiddenError if nobody knows, also because the key was deleted
   */
  private async askersOf(tx: Transaction, { agentId, runId }: ApprovalEntity): Promise<readonly string[]> {
    const run = runId === null ? null : await this.runs.lock(tx, agentId, runId);
    const actors = run ? await this.runs.askersOf(tx, run) : [];
    const askers = actors && (await this.approvers.identitiesOf(tx, actors));
    if (askers !== null) return askers;
    throw new ForbiddenError(
      'approver_refused',
      'The requester of the run is unknown, because the schedule or key was deleted or its creator was not ' +
        'recorded: reject the approval, or request another run',
    );
  }
}

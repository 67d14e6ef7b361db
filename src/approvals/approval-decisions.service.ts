import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import { actorOf, identityOf, type UserPrincipal } from '../access/principal.js';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Transaction } from '../database/transaction.js';
import { ConflictError, NotFoundError, RefusedError } from '../errors/domain-error.js';
import { reached } from '../http/required-role.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import type { Verdict } from './approval.types.js';
import { type ApprovalChange, ApprovalsRepository, type TimedApproval } from './approvals.repository.js';
import { TwoApproversService } from './two-approvers.service.js';

/** Takes the decisions of people. The first one counts. */
@Injectable()
export class ApprovalDecisionsService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly steps: ApprovalStepsService,
    private readonly twoApprovers: TwoApproversService,
    private readonly agents: AgentLifecycleService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * @throws NotFoundError, ForbiddenError
   * @throws ConflictError if it is decided, its time is over, or the arguments are others than the person saw
   * @throws RefusedError if the agent understands no such decision
   */
  async decide(
    tx: Transaction,
    caller: UserPrincipal,
    id: string,
    verdict: Verdict,
  ): Promise<ApprovalEntity> {
    const reach = ownReachOf(caller);
    const found = reached(reach, await this.approvals.find(tx, reach.projectIds, id), 'Approval');
    const agent = await this.agents.lockWithin(tx, reach, found.agentId);
    const approval = await this.approvals.lock(tx, agent.id, id);
    if (!approval) throw new NotFoundError('Approval');
    assertOpen(approval, verdict);
    const { decision, reason, editedArgs, response } = verdict;
    const actor = actorOf(caller);
    const change: ApprovalChange = { reason, editedArgs: editedArgs ?? null, response };
    const isFinal = await this.twoApprovers.isEnough(tx, caller, approval, verdict);
    const facts = { decision, risk: approval.risk, is_final: isFinal };
    await this.auditLog.write(tx, caller, 'approval.decide', targetOf('approval', approval), facts);
    if (!isFinal)
      return this.steps.propose(tx, actor, approval, { ...change, firstApprovedBy: identityOf(caller) });
    const decided = await this.steps.apply(tx, actor, approval, decision, { ...change, decidedBy: actor });
    return decided!;
  }
}

/** @throws ConflictError, RefusedError */
function assertOpen(approval: TimedApproval, { decision, argsSha256 }: Verdict): void {
  const { state, decidedBy, allowedDecisions, leftMs } = approval;
  if (state !== 'pending')
    throw new ConflictError(
      'approval_closed',
      `The approval is ${state} already${decidedBy === null ? '' : ` by ${decidedBy}`}`,
    );
  if (leftMs <= 0) throw new ConflictError('approval_closed', 'The time for a decision is over');
  if (approval.argsSha256 !== argsSha256)
    throw new ConflictError(
      'arguments_differ',
      'The arguments differ from those of args_sha256: read the approval again',
    );
  if (!allowedDecisions.includes(decision))
    throw new RefusedError('decision_refused', `The agent accepts only ${allowedDecisions.join(', ')}`);
}

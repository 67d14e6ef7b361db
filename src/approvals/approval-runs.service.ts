import { Injectable } from '@nestjs/common';
import type { Actor } from '../access/principal.js';
import type { Transaction } from '../database/transaction.js';
import { NotFoundError, RefusedError } from '../errors/domain-error.js';
import { isHeld } from '../lifecycle/run-lifecycle.js';
import { type LockedRun, RunApprovalsService } from '../runs/run-approvals.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** Lets runs wait for approvals, and continue. The transaction has locked the agent's row. */
@Injectable()
export class ApprovalRunsService {
  constructor(
    private readonly approvals: ApprovalsRepository,
    private readonly runs: RunApprovalsService,
  ) {
    runs.onReport((tx, runId) => approvals.isAsking(tx, runId));
  }

  /** @throws NotFoundError, RefusedError if the agent has no such run, or has it no more */
  async lockHeld(tx: Transaction, agentId: string, runId: string): Promise<LockedRun> {
    const run = await this.runs.lock(tx, agentId, runId);
    if (!run) throw new NotFoundError('Run');
    if (!isHeld(run))
      throw new RefusedError(
        'wrong_status',
        'The agent does not have this run: an approval must belong to one of its running runs',
      );
    return run;
  }

  async wait(tx: Transaction, actor: Actor, run: LockedRun, { title }: ApprovalEntity): Promise<void> {
    await this.runs.wait(tx, actor, run, `Approval: ${title}`);
  }

  /** The run of an approval continues that its agent has the answer to, unless it waits for another one. */
  async goOn(tx: Transaction, actor: Actor, { runId, agentId, title, state }: ApprovalEntity): Promise<void> {
    if (runId === null) return;
    const run = await this.runs.lock(tx, agentId, runId);
    if (run?.status !== 'waiting') return;
    const [next] = await this.approvals.lockPendingOfRuns(tx, [runId]);
    if (next) await this.wait(tx, actor, run, next);
    else await this.runs.resume(tx, actor, run, `${title}: ${state}`);
  }
}

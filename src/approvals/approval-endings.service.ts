import { Injectable } from '@nestjs/common';
import { AgentHandoverService } from '../agents/agent-handover.service.js';
import type { Transaction } from '../database/transaction.js';
import { AgentRemovalService } from '../deployments/agent-removal.service.js';
import { RunApprovalsService } from '../runs/run-approvals.service.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import type { ApprovalEntity } from './approval.entity.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** Withdraws the questions of runs and agents that end, and hands those of an agent over with it. */
@Injectable()
export class ApprovalEndingsService {
  constructor(
    approvals: ApprovalsRepository,
    private readonly steps: ApprovalStepsService,
    runs: RunApprovalsService,
    removals: AgentRemovalService,
    handovers: AgentHandoverService,
  ) {
    runs.onLeft(async (tx, runIds) => this.withdraw(tx, await approvals.lockPendingOfRuns(tx, runIds)));
    removals.onRemoval(async (tx, agentId) =>
      this.withdraw(tx, await approvals.lockPendingOfAgent(tx, agentId)),
    );
    handovers.onHandover((tx, { agentId, projectId }) => approvals.moveForAgent(tx, agentId, projectId));
  }

  private async withdraw(tx: Transaction, pending: readonly ApprovalEntity[]): Promise<void> {
    for (const approval of pending) await this.steps.apply(tx, 'monitor', approval, 'withdraw');
  }
}

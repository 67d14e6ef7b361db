import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import { type ApprovalResponse, toApprovalResponse } from './approval.response.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** Lists what agents have asked, for those that start again. */
@Injectable()
export class OpenApprovalsService {
  constructor(private readonly approvals: ApprovalsRepository) {}

  /** Open questions of each agent, and decisions that it has not fetched, oldest first; in the order of the ids. */
  async of(tx: Transaction, agentIds: readonly string[]): Promise<ApprovalResponse[][]> {
    const open = await this.approvals.listOpen(tx, agentIds);
    const byAgent = Map.groupBy(open, ({ agentId }) => agentId);
    return agentIds.map((id) => (byAgent.get(id) ?? []).map(toApprovalResponse));
  }
}

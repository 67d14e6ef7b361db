import { Injectable } from '@nestjs/common';
import type { Connection } from '../database/transaction.js';
import { ApprovalSearchRepository } from './approval-search.repository.js';
import type { AskingAgent } from './approval.types.js';

/** Number of agents that are named: each of them has its own count in the inbox. */
const NAMED = 50;

/** The part of the overview about approvals. */
export interface ApprovalAttention {
  readonly pending: number;
  readonly agents: readonly AskingAgent[];
}

@Injectable()
export class ApprovalAttentionService {
  constructor(private readonly approvals: ApprovalSearchRepository) {}

  async read(connection: Connection, projectIds: readonly string[]): Promise<ApprovalAttention> {
    const agents = await this.approvals.asking(connection, projectIds);
    return { pending: agents.reduce((sum, { count }) => sum + count, 0), agents: agents.slice(0, NAMED) };
  }
}

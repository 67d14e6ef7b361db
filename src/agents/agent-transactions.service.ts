import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import type { Transaction } from '../database/transaction.js';
import { AgentLifecycleService } from './agent-lifecycle.service.js';
import type { LockedAgent } from './agent.types.js';

/** Runs transactions of agents. Those of one agent take turns, so that none holds a connection while it waits for the agent's row. */
@Injectable()
export class AgentTransactionsService {
  /** The last transaction of each agent that has one under way. */
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(
    private readonly agents: AgentLifecycleService,
    private readonly database: Database,
  ) {}

  /**
   * Committed when it resolves.
   *
   * @param work gets the agent, whose row the transaction has locked. It may run more than once, as
   *   `ConnectionPool.transaction` says
   * @throws NotFoundError where the agent has just been removed
   */
  async run<Result>(
    { agentId, projectId }: AgentPrincipal,
    work: (tx: Transaction, agent: LockedAgent) => Promise<Result>,
  ): Promise<Result> {
    const before = this.last.get(agentId);
    const own = this.runAfter(before, () =>
      this.database.runtimes.transaction(
        async (tx) => work(tx, await this.agents.lock(tx, agentId)),
        projectId,
      ),
    );
    this.last.set(agentId, own);
    try {
      return await own;
    } finally {
      if (this.last.get(agentId) === own) this.last.delete(agentId);
    }
  }

  /** @param before its failure is its own caller's */
  private async runAfter<Result>(
    before: Promise<unknown> | undefined,
    transaction: () => Promise<Result>,
  ): Promise<Result> {
    await before?.catch(() => undefined);
    return transaction();
  }
}

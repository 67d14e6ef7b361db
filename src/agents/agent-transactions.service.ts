import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AgentPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Transaction } from '../database/transaction.js';
import { AgentLifecycleService } from './agent-lifecycle.service.js';
import type { LockedAgent } from './agent.types.js';

/** Maximum number of agents in one transaction. While it writes their events, all other changes of the owner wait. */
const AGENTS_IN_A_GROUP = 32;
/**
 * Maximum number of owners whose transactions are grouped. Transactions of further owners run singly, one after the
 * other.
 */
const MAXIMUM_OWNERS = 10_000;

type Work<Result> = (tx: Transaction, agent: LockedAgent) => Promise<Result>;

interface Order {
  readonly agentId: string;
  readonly work: Work<unknown>;
  readonly weight: number;
}

/** Null: the agent's row was locked, the agent was handed over, or the group already had another order of it. */
type Outcome = { readonly result: unknown } | null;

/**
 * Runs transactions of agents. All events of an owner are numbered by one row, so these transactions run one after the
 * other: those that wait at the same time are merged into one transaction with one commit.
 */
@Injectable()
export class AgentTransactionsService {
  private readonly owners = new LRUCache<string, GroupCommit<Order, Outcome>>({ max: MAXIMUM_OWNERS });

  constructor(
    private readonly agents: AgentLifecycleService,
    private readonly database: Database,
  ) {}

  /**
   * Committed when it resolves.
   *
   * @param work gets the agent, whose row the transaction has locked. It may run more than once, as
   *   `ConnectionPool.transaction` says; if it throws, only its own changes are rolled back
   * @param weight length of the written data, in characters
   * @throws NotFoundError where the agent has just been removed
   */
  async run<Result>(
    { agentId, projectId }: AgentPrincipal,
    weight: number,
    work: Work<Result>,
  ): Promise<Result> {
    const order = { agentId, work, weight };
    const outcome = (await this.groupsOf(projectId).submit(order)) ?? {
      result: await this.runAlone(projectId, order),
    };
    return outcome.result as Result;
  }

  private groupsOf(projectId: string): GroupCommit<Order, Outcome> {
    let groups = this.owners.get(projectId);
    if (!groups) {
      groups = new GroupCommit('agent transactions', (orders) => this.runGroup(projectId, orders), {
        items: AGENTS_IN_A_GROUP,
        weightOf: ({ weight }) => weight,
      });
      this.owners.set(projectId, groups);
    }
    return groups;
  }

  /**
   * Runs the orders of one owner in one transaction. Agents whose rows are locked are left out, so that they delay none
   * of the others; so are agents that were handed over meanwhile: two transactions that number the events of several
   * owners could wait for each other.
   */
  private runGroup(projectId: string, orders: readonly Order[]): Promise<Outcome[]> {
    return this.database.runtimes.transaction(async (tx) => {
      const ids = new Set(orders.map(({ agentId }) => agentId));
      const held = await this.agents.lockFree(tx, [...ids]);
      const owned = held.filter((agent) => agent.projectId === projectId);
      const free = new Map(owned.map((agent) => [agent.id, agent]));
      const outcomes: Outcome[] = [];
      for (const { agentId, work } of orders) {
        const agent = free.get(agentId);
        free.delete(agentId);
        outcomes.push(agent ? { result: await work(tx, agent) } : null);
      }
      return outcomes;
    }, projectId);
  }

  private runAlone(projectId: string, { agentId, work }: Order): Promise<unknown> {
    return this.database.runtimes.transaction(
      async (tx) => work(tx, await this.agents.lock(tx, agentId)),
      projectId,
    );
  }
}

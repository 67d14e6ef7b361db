import { Injectable } from '@nestjs/common';
import { type AgentPrincipal, actorOf } from '../access/principal.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';
import { NotFoundError, RefusedError } from '../errors/domain-error.js';
import { isHeld } from '../lifecycle/run-lifecycle.js';
import { RunLifecycleService } from './run-lifecycle.service.js';
import type { RunEntity } from './run.entity.js';
import { RunsRepository } from './runs.repository.js';

/** A runtime's request for work. */
export interface Claim {
  /** Maximum number of runs; 0: only to hear which runs are to be ended early. */
  readonly limit: number;
  /** Absent: the agent's newest active deployment. */
  readonly deploymentId: string | undefined;
  /** SHA-256 of the caller and the `Idempotency-Key`. */
  readonly key: Buffer | undefined;
}

/** The answer to a claim. */
export interface Claimed {
  readonly runs: readonly RunEntity[];
  /** Ids of runs that the runtime has, and is to end early. */
  readonly toCancel: readonly string[];
  /** True if an earlier claim with the same key took these runs. */
  readonly isRepeated: boolean;
}

/** Takes runs out of an agent's queue, for its runtime. */
@Injectable()
export class RunTakingService {
  constructor(
    private readonly runs: RunsRepository,
    private readonly lifecycle: RunLifecycleService,
    private readonly deployments: DeploymentsOfAgentsService,
    private readonly transactions: AgentTransactionsService,
  ) {}

  /**
   * Takes the first runs of the queue or, under the key of an earlier claim, those that it took.
   *
   * @throws NotFoundError, RefusedError if the named deployment is not the agent's, or not active
   */
  take(principal: AgentPrincipal, claim: Claim): Promise<Omit<Claimed, 'toCancel'>> {
    return this.transactions.run(principal, (tx, agent) => this.takeIn(tx, principal, agent, claim));
  }

  private async takeIn(
    tx: Transaction,
    principal: AgentPrincipal,
    agent: LockedAgent,
    { limit, deploymentId, key }: Claim,
  ): Promise<Omit<Claimed, 'toCancel'>> {
    const found = await this.runs.lockClaimed(tx, agent.id, key ?? null, limit);
    if (found.some(isHeld)) return { runs: found, isRepeated: true };
    const deployment = await this.deploymentOf(tx, agent.id, deploymentId);
    if (!deployment) return { runs: [], isRepeated: false };
    const details = { deployment, claimKey: key ?? null };
    const order = new Map(found.map(({ id }, index) => [id, index]));
    const runs = await this.lifecycle.applyToAll(tx, actorOf(principal), found, 'take', details);
    return { runs: runs.sort((one, other) => order.get(one.id)! - order.get(other.id)!), isRepeated: false };
  }

  /** Undefined: the agent has no active deployment, or a pause holds it, so it is not meant to work. */
  private async deploymentOf(tx: Transaction, agentId: string, named: string | undefined) {
    const active = await this.deployments.activeOf(tx, agentId);
    if (named === undefined) return active.find(({ isHeld }) => !isHeld);
    const found = active.find(({ id }) => id === named);
    if (found) return found.isHeld ? undefined : found;
    if ((await this.deployments.ownedAmong(agentId, [named])).size === 0)
      throw new NotFoundError('Deployment');
    throw new RefusedError('wrong_status', 'Can only take runs for an active deployment');
  }
}

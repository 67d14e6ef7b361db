import { Injectable } from '@nestjs/common';
import { GroupCommit } from '../database/group-commit.js';
import { Database } from '../database/database.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { DeploymentEntity } from './deployment.entity.js';
import {
  type MentionedDeployments,
  DeploymentsOfAgentsRepository,
} from './deployments-of-agents.repository.js';

/** Maximum number of deployments in the reply about an agent. */
const LATEST = 100;
const LENGTH_OF_AN_ID = 36;

/** Reads the deployments of agents that the caller knows: their runtimes, the monitor, an agent's page. */
@Injectable()
export class DeploymentsOfAgentsService {
  /** Batched look-up of the deployments that a heartbeat, or a batch of logs or metrics, refers to. */
  private readonly mentions: GroupCommit<MentionedDeployments, DeploymentEntity[]>;

  constructor(
    private readonly deployments: DeploymentsOfAgentsRepository,
    database: Database,
  ) {
    this.mentions = new GroupCommit(
      'mentioned deployments',
      (questions) => deployments.findMentioned(database.runtimes.manager, questions),
      { weightOf: ({ mentioned }) => mentioned.length * LENGTH_OF_AN_ID },
    );
  }

  /**
   * Reads the latest deployments of any number of agents in one statement. @returns the latest hundred of each, newest
   * first
   */
  latestOf(connection: Connection, agentIds: readonly string[]): Promise<DeploymentEntity[][]> {
    return this.deployments.latestOf(connection, agentIds, LATEST);
  }

  /** The active deployments of an agent, newest first. */
  activeOf(connection: Connection, agentId: string): Promise<DeploymentEntity[]> {
    return this.deployments.activeOf(connection, agentId);
  }

  /** Returns the agent's own deployments among these ids, without the name of the agent. */
  mentioned(agentId: string, mentioned: readonly string[]): Promise<DeploymentEntity[]> {
    return this.mentions.submit({ agentId, mentioned });
  }

  /** Ids of the agent's own deployments among those to which its entries refer. */
  async ownedAmong(agentId: string, mentioned: readonly string[]): Promise<ReadonlySet<string>> {
    const owned = await this.mentioned(agentId, mentioned);
    return new Set(owned.map(({ id }) => id));
  }

  /** Ids of the agent's deployments that failed when its heartbeat was lost. */
  lostOf(tx: Transaction, agentId: string): Promise<string[]> {
    return this.deployments.findLost(tx, agentId);
  }
}

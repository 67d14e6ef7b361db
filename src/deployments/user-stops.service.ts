import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { AgentReadingService } from '../agents/agent-reading.service.js';
import { Database } from '../database/database.js';
import { NotFoundError } from '../errors/domain-error.js';
import { DeploymentsService } from './deployments.service.js';

/** Stops all agents of a user. */
@Injectable()
export class UserStopsService {
  constructor(
    private readonly agents: AgentReadingService,
    private readonly deployments: DeploymentsService,
    private readonly database: Database,
  ) {}

  /**
   * Stops all agents of a user, each in a separate transaction, because one transaction would hold too many locks for
   * too long. An agent that is removed in the meantime is skipped.
   */
  async stopAgentsOf(operator: UserPrincipal, projectId: string): Promise<void> {
    for (const agentId of await this.agents.listNotStopped(projectId)) {
      try {
        await this.database.people.transaction(
          (tx) => this.deployments.stopAgent(tx, operator, agentId),
          operator.userId,
        );
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
      }
    }
  }
}

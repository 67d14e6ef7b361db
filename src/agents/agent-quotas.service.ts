import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import { QuotaReadingService } from '../quotas/quota-reading.service.js';
import type { QuotaUse } from '../quotas/quota.types.js';
import { AgentAccessService } from './agent-access.service.js';

/** Says what agents have used of their quotas. */
@Injectable()
export class AgentQuotasService {
  constructor(
    private readonly agents: AgentAccessService,
    private readonly quotas: QuotaReadingService,
    private readonly database: Database,
  ) {}

  /** @throws NotFoundError if the caller has no such agent */
  async of(caller: UserPrincipal, agentId: string): Promise<QuotaUse[]> {
    const { agent } = await this.agents.find(caller, agentId, false);
    return this.quotas.of(this.database.people.manager, { agentId, projectId: agent.projectId });
  }
}

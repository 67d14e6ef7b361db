import { Injectable } from '@nestjs/common';
import { reachOf, type UserPrincipal } from '../access/principal.js';
import { targetOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Agent, ListedAgents } from './agent.types.js';
import { AgentReadingService } from './agent-reading.service.js';

/** Agents that people read through the API. Operators read other people's, too: the audit log records that. */
@Injectable()
export class AgentAccessService {
  constructor(
    private readonly reading: AgentReadingService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** As {@link AgentReadingService.list}. */
  async list(caller: UserPrincipal, filter: ListedAgents, request: PageRequest): Promise<Page<Agent>> {
    const agents = await this.reading.list(caller, filter, request);
    const projectId = filter.projectId ?? filter.createdBy ?? caller.userId;
    if (caller.isAdmin)
      this.auditLog.read(caller, 'agent.list', { type: 'project', id: projectId, projectId });
    return agents;
  }

  /** @throws NotFoundError if the agent does not exist, or belongs to another user and the caller is no operator */
  async find(caller: UserPrincipal, agentId: string): Promise<Agent> {
    const agent = await this.reading.findWithin(reachOf(caller), agentId);
    this.auditLog.read(caller, 'agent.read', targetOf('agent', agent));
    return agent;
  }
}

import { Injectable } from '@nestjs/common';
import { reachOf, type UserPrincipal } from '../access/principal.js';
import { accountOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Agent, AgentFilter } from './agent.types.js';
import { AgentReadingService } from './agent-reading.service.js';

/** Agents that people read through the API. Operators read other people's, too: the audit log records that. */
@Injectable()
export class AgentAccessService {
  constructor(
    private readonly reading: AgentReadingService,
    private readonly auditLog: AuditLogService,
  ) {}

  /** As {@link AgentReadingService.list}. */
  async list(
    caller: UserPrincipal,
    filter: Omit<AgentFilter, 'userId'> & { userId?: string },
    request: PageRequest,
  ): Promise<Page<Agent>> {
    const agents = await this.reading.list(caller, filter, request);
    // The audit log records only an operator's read: any other caller gets an empty list of another user's agents.
    if (caller.isAdmin) this.auditLog.read(caller, 'agent.list', accountOf(filter.userId ?? caller.userId));
    return agents;
  }

  /** @throws NotFoundError if the agent does not exist, or belongs to another user and the caller is no operator */
  async find(caller: UserPrincipal, agentId: string): Promise<Agent> {
    const agent = await this.reading.findWithin(reachOf(caller), agentId);
    const { id, userId } = agent;
    this.auditLog.read(caller, 'agent.read', { type: 'agent', id, ownerId: userId });
    return agent;
  }
}

import { Injectable } from '@nestjs/common';
import { reachOf } from '../access/reach.js';
import type { UserPrincipal } from '../access/principal.js';
import { targetOf } from '../audit-log/audited-act.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Agent, FoundAgent, ListedAgents } from './agent.types.js';
import { AgentReadingService } from './agent-reading.service.js';
import { ConfigRevealsService } from './config-reveals.service.js';
import { viewFor } from './config-view.js';

/** Agents that people read through the API. Operators read other people's, too: the audit log records that. */
@Injectable()
export class AgentAccessService {
  constructor(
    private readonly reading: AgentReadingService,
    private readonly auditLog: AuditLogService,
    private readonly reveals: ConfigRevealsService,
  ) {}

  /** As {@link AgentReadingService.list}. */
  async list(caller: UserPrincipal, filter: ListedAgents, request: PageRequest): Promise<Page<Agent>> {
    const agents = await this.reading.list(caller, filter, request);
    const projectId = filter.createdBy ?? caller.userId;
    // A list of a named project has the entry of every such list.
    if (caller.isAdmin && filter.projectId === undefined)
      this.auditLog.read(caller, 'agent.list', { type: 'project', id: projectId, projectId });
    return agents;
  }

  /**
   * @param reveals true: the reply will show the secrets of the config
   * @throws NotFoundError if the agent does not exist, or belongs to another user and the caller is no operator
   * @throws ForbiddenError if the caller may not have the secrets
   */
  async find(caller: UserPrincipal, agentId: string, reveals: boolean): Promise<FoundAgent> {
    const agent = await this.reading.findWithin(reachOf(caller), agentId);
    if (reveals) await this.reveals.record(caller, agent, agent.configVersion);
    this.auditLog.read(caller, 'agent.read', targetOf('agent', agent));
    return { agent, view: viewFor(caller, agent.projectId, reveals) };
  }
}

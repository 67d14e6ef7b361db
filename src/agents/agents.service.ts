import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { UserPrincipal } from '../access/principal.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { Agent, CreatedAgent, NewAgent } from './agent.types.js';
import { AgentLifecycle } from './agent-lifecycle.service.js';
import { AgentsRepository } from './agents.repository.js';
import { PresenceService } from './presence.service.js';

const DEFAULT_TYPE = 'custom';
const EMPTY_CONFIG = '{}';

@Injectable()
export class AgentsService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly lifecycle: AgentLifecycle,
    private readonly apiKeys: ApiKeysService,
    private readonly presence: PresenceService,
    private readonly auditLog: AuditLogService,
  ) {}

  async create(tx: Transaction, caller: UserPrincipal, input: NewAgent): Promise<CreatedAgent> {
    const { userId } = caller;
    const id = uuidv7();
    const now = new Date().toISOString();
    const agent = {
      id,
      name: input.name ?? `agent-${id.slice(0, 8)}`,
      description: input.description ?? null,
      type: input.type ?? DEFAULT_TYPE,
      config: input.config ?? EMPTY_CONFIG,
      status: 'creating' as const,
    };
    await this.agents.insert(tx, { ...agent, userId, createdAt: now }, this.presence.nextInterval());
    const { record, key } = await this.apiKeys.issue(tx, {
      userId,
      agentId: id,
      name: `${agent.name}: first key`,
    });
    const unknown = {
      version: null,
      hostname: null,
      platform: null,
      lastHeartbeatAt: null,
      onlineSince: null,
    };
    const created: Agent = { ...agent, ...unknown, userId, createdAt: now, updatedAt: now };
    await this.lifecycle.created(tx, created);
    const facts = { name: agent.name, type: agent.type, api_key_id: record.id };
    await this.auditLog.write(tx, caller, 'agent.create', { type: 'agent', id, ownerId: userId }, facts);
    return { agent: created, key };
  }

  /** The agent's keys stop working with the commit; the row stays until {@link finishRemoval}. */
  async revokeKeys(tx: Transaction, agentId: string): Promise<void> {
    await this.apiKeys.deleteForAgent(tx, agentId);
  }

  listDeleting(connection: Connection, limit: number): Promise<string[]> {
    return this.agents.listDeleting(connection, limit);
  }

  /** Removes the record of an agent whose removal has begun, once nothing else of it is left. */
  async finishRemoval(connection: Connection, agentId: string): Promise<void> {
    await this.agents.delete(connection, agentId);
  }
}

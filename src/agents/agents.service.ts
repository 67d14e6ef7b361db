import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { workloadOf } from '../lifecycle/agent-health.js';
import { DEFAULT_TYPE, defaultName, EMPTY_CONFIG } from './agent-defaults.js';
import type { Agent, CreatedAgent, NewAgent } from './agent.types.js';
import { AgentLifecycle } from './agent-lifecycle.service.js';
import { AgentsRepository } from './agents.repository.js';
import { PresenceService } from './presence.service.js';
import { assertRunConfig } from './run-config.js';

@Injectable()
export class AgentsService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly lifecycle: AgentLifecycle,
    private readonly apiKeys: ApiKeysService,
    private readonly presence: PresenceService,
  ) {}

  /** @throws InvalidError where the config has keys of `svc run` with values that it would refuse */
  async create(tx: Transaction, userId: string, input: NewAgent): Promise<CreatedAgent> {
    if (input.config) assertRunConfig(input.config);
    const id = uuidv7();
    const agent = {
      id,
      name: input.name ?? defaultName(id),
      description: input.description ?? null,
      type: input.type ?? DEFAULT_TYPE,
      config: input.config ?? EMPTY_CONFIG,
      status: 'creating' as const,
    };
    const actor = `user:${userId}`;
    const times = await this.agents.insert(tx, { ...agent, userId, actor }, this.presence.nextInterval());
    const { key } = await this.apiKeys.issue(tx, { userId, agentId: id, name: `${agent.name}: first key` });
    const unknown = {
      labels: {},
      configVersion: 1,
      version: null,
      hostname: null,
      platform: null,
      lastHeartbeatAt: null,
      onlineSince: null,
      lastSeenAt: null,
      connection: 'never_connected' as const,
      ...workloadOf([]),
      reportedStatus: null,
      reportedMessage: null,
      capabilities: null,
      metadata: null,
    };
    const created: Agent = { ...agent, ...unknown, ...times, userId };
    await this.lifecycle.created(tx, created);
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

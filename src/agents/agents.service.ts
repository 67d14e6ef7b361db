import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { UserPrincipal } from '../access/principal.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { Page, type PageRequest } from '../database/page.js';
import type { Transaction } from '../database/transaction.types.js';
import { Transactor } from '../database/transactor.js';
import { NotFoundError } from '../errors/domain-error.js';
import type { AgentStatus } from '../lifecycle/agent-lifecycle.js';
import type { Agent, AgentDetails, CreatedAgent, NewAgent } from './agent.types.js';
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
    private readonly transactor: Transactor,
  ) {}

  async create(userId: string, input: NewAgent): Promise<CreatedAgent> {
    return this.transactor.run((tx) => this.createIn(tx, userId, input));
  }

  /** As part of a larger transaction. */
  async createIn(tx: Transaction, userId: string, input: NewAgent): Promise<CreatedAgent> {
    const id = uuidv7();
    const now = new Date();
    const agent = {
      id,
      name: input.name ?? `agent-${id.slice(0, 8)}`,
      description: input.description ?? null,
      type: input.type ?? DEFAULT_TYPE,
      config: input.config ?? EMPTY_CONFIG,
      status: 'creating' as const,
    };
    await this.agents.insert(tx, { ...agent, userId, createdAt: now }, this.presence.nextInterval());
    const { key } = await this.apiKeys.issue(tx, { userId, agentId: id, name: `${agent.name}: first key` });
    const unknown = {
      version: null,
      hostname: null,
      platform: null,
      last_heartbeat_at: null,
      online_since: null,
    };
    const created: Agent = { ...agent, ...unknown, user_id: userId, created_at: now, updated_at: now };
    await this.lifecycle.created(tx, created);
    return { agent: created, key };
  }

  /**
   * The caller's agents; an operator may ask for another user's, for anybody else those are an empty list.
   *
   * @param userId whose; absent: the caller's
   */
  async list(
    caller: UserPrincipal,
    filter: { userId?: string; status?: AgentStatus },
    request: PageRequest,
  ): Promise<Page<Agent>> {
    const userId = filter.userId ?? caller.userId;
    if (userId !== caller.userId && !caller.isAdmin) {
      return Page.of<Agent>([], request, request.includeTotal ? 0 : undefined);
    }
    return this.agents.list({ userId, status: filter.status }, request);
  }

  /**
   * @param userId the owner; null where the caller is the agent itself
   * @throws NotFoundError
   */
  async find(agentId: string, userId: string | null): Promise<Agent> {
    const agent = await this.agents.find(agentId, userId);
    if (!agent) throw new NotFoundError('Agent');
    return agent;
  }

  /** @throws NotFoundError where there is no such agent, or it is somebody else's */
  async assertOwned(userId: string, agentId: string): Promise<void> {
    await this.find(agentId, userId);
  }

  /**
   * Its runtime was heard of: what it tells of itself is kept, and an agent that was new or lost runs; one whose
   * heartbeat comes and goes, once it holds.
   *
   * @param details undefined keeps what is there
   * @throws NotFoundError where the agent has just been removed
   */
  async signal(tx: Transaction, agentId: string, details: AgentDetails): Promise<void> {
    const agent = await this.lifecycle.lock(tx, agentId, null);
    await this.agents.updateDetails(tx, [{ agentId, details }]);
    if (agent.status === 'failed' && (await this.presence.flapping(tx, [agentId])).size > 0) return;
    await this.lifecycle.apply(tx, agent, 'signal');
  }

  /** The agent's keys stop working with the commit; the row stays until {@link finishRemoval}. */
  async revokeKeys(tx: Transaction, agentId: string): Promise<void> {
    await this.apiKeys.deleteForAgent(tx, agentId);
  }

  listDeleting(limit: number): Promise<string[]> {
    return this.agents.listDeleting(limit);
  }

  /** Removes the record of an agent whose removal has begun, once nothing else of it is left. */
  async finishRemoval(agentId: string): Promise<void> {
    await this.transactor.run((tx) => this.agents.delete(tx, agentId));
  }
}

import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database/transaction.js';
import { QuotasService } from '../quotas/quotas.service.js';
import type { Agent } from './agent.types.js';
import { AgentsRepository } from './agents.repository.js';
import { PresenceService } from './presence.service.js';

/** Bytes of a version that count towards the quota, besides its text. */
const BYTES_OF_A_VERSION = 150;

type NewRecord = Parameters<AgentsRepository['insert']>[1];
type Columns = Parameters<AgentsRepository['update']>[2];

/** Writes the records of agents and the versions of their configs, within their quotas. */
@Injectable()
export class AgentRecordsService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly presence: PresenceService,
    private readonly quotas: QuotasService,
  ) {}

  /** @throws RateLimitedError */
  insert(tx: Transaction, agent: NewRecord): Promise<Pick<Agent, 'createdAt' | 'updatedAt'>> {
    this.count(tx, { agentId: agent.id, projectId: agent.projectId }, agent.config);
    return this.agents.insert(tx, agent, this.presence.nextInterval());
  }

  /**
   * Writes a change to an agent whose row the transaction has locked. A config of another version than before is added.
   *
   * @throws RateLimitedError
   */
  async update(
    tx: Transaction,
    before: Agent,
    { config, actor, ...columns }: Columns & { readonly config: string; readonly actor: string },
  ): Promise<void> {
    const { id: agentId, projectId } = before;
    const { configVersion, usageFrom } = columns;
    if (configVersion !== before.configVersion) {
      this.count(tx, { agentId, projectId }, config);
      await this.agents.insertConfig(tx, { agentId, configVersion, config, actor });
    }
    if (usageFrom !== before.usageFrom) await this.agents.chooseUsage(tx, agentId, usageFrom);
    await this.agents.update(tx, agentId, columns);
  }

  private count(
    tx: Transaction,
    owner: { readonly agentId: string; readonly projectId: string },
    config: string,
  ): void {
    this.quotas.countAtCommit(tx, owner, 'config_bytes', BYTES_OF_A_VERSION + Buffer.byteLength(config));
    this.quotas.countAtCommit(tx, owner, 'config_versions', 1);
  }
}

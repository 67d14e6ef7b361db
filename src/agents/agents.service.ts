import { projectFor } from '../http/required-role.js';
import { Injectable } from '@nestjs/common';
import { ownReachOf } from '../access/reach.js';
import { actorOf, type UserPrincipal } from '../access/principal.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { ConflictError } from '../errors/domain-error.js';
import { workloadOf } from '../lifecycle/agent-health.js';
import { DEFAULT_TYPE, defaultName, EMPTY_CONFIG } from './agent-defaults.js';
import type { Agent, CreatedAgent, LockedAgent, NewAgent } from './agent.types.js';
import { DEFAULT_SETTINGS } from './agent-settings.types.js';
import { AgentLifecycleService } from './agent-lifecycle.service.js';
import { AgentRecordsService } from './agent-records.service.js';
import { keepingSecrets } from './config-secrets.js';
import { AgentsRepository } from './agents.repository.js';
import { assertRunConfig } from './run-config.js';

@Injectable()
export class AgentsService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly records: AgentRecordsService,
    private readonly lifecycle: AgentLifecycleService,
    private readonly apiKeys: ApiKeysService,
    private readonly auditLog: AuditLogService,
  ) {}

  /**
   * @throws InvalidError if the config has keys of `svc run` with values that it would refuse, or keeps values
   * @throws NotFoundError, ForbiddenError if the caller may not create agents in the project
   * @throws ConflictError if the project already has `MAX_AGENTS_PER_PROJECT` agents
   * @throws RateLimitedError
   */
  async create(tx: Transaction, caller: UserPrincipal, input: NewAgent): Promise<CreatedAgent> {
    const config = keepingSecrets(input.config ?? EMPTY_CONFIG, null);
    assertRunConfig(config);
    const projectId = projectFor(ownReachOf(caller), input.projectId);
    await this.assertRoom(tx, projectId);
    const id = newId();
    const agent = {
      id,
      name: input.name ?? defaultName(id),
      description: input.description ?? null,
      type: input.type ?? DEFAULT_TYPE,
      labels: input.labels ?? {},
      onLoop: input.onLoop ?? DEFAULT_SETTINGS.onLoop,
      capture: input.capture ?? DEFAULT_SETTINGS.capture,
      usageFrom: input.usageFrom ?? DEFAULT_SETTINGS.usageFrom,
      config,
      status: 'creating' as const,
    };
    const actor = actorOf(caller);
    const owner = { projectId, createdBy: caller.userId };
    const times = await this.records.insert(tx, { ...agent, ...owner, actor });
    const { record, key } = await this.apiKeys.issue(tx, {
      ...owner,
      agentId: id,
      name: `${agent.name}: first key`,
    });
    const unknown = {
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
      runtime: null,
      pausedAt: null,
      pauseConfirmedAt: null,
      pause: null,
      deployed: null,
    };
    const created: Agent = { ...agent, ...unknown, ...times, ...owner };
    await this.lifecycle.created(tx, created);
    const facts = { name: agent.name, type: agent.type, api_key_id: record.id, ...captureOf(agent) };
    await this.auditLog.write(tx, caller, 'agent.create', targetOf('agent', { id, projectId }), facts);
    return { agent: created, key };
  }

  /**
   * Guarantees until the transaction ends that the project may have one more agent.
   *
   * @throws ConflictError if it has as many agents as its limit allows
   */
  async assertRoom(tx: Transaction, projectId: string): Promise<void> {
    const limit = await this.agents.reachedLimit(tx, projectId);
    if (limit === null) return;
    throw new ConflictError(
      'limit_reached',
      `The project ${projectId} can have ${limit} agents at most: delete one first`,
    );
  }

  /**
   * Marks an agent as being removed. Its keys stop working with the commit; the row stays until {@link finishRemoval}.
   */
  async beginRemoval(tx: Transaction, caller: UserPrincipal, agent: LockedAgent): Promise<void> {
    const { id, projectId, name } = agent;
    await this.apiKeys.deleteOf(tx, { agentId: id });
    await this.auditLog.write(tx, caller, 'agent.delete', targetOf('agent', { id, projectId }), { name });
  }

  listDeleting(connection: Connection, limit: number): Promise<string[]> {
    return this.agents.listDeleting(connection, limit);
  }

  /** Removes the row of an agent whose logs, metrics and other data have been purged. */
  async finishRemoval(connection: Connection, agentId: string): Promise<void> {
    await this.agents.delete(connection, agentId);
  }
}

/** The audit log has it where the agent keeps content of its spans. */
function captureOf({ capture }: Pick<Agent, 'capture'>): { readonly capture?: string } {
  return capture === 'none' ? {} : { capture };
}

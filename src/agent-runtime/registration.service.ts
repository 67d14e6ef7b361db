import { Injectable } from '@nestjs/common';
import type { AgentPrincipal, Principal, UserPrincipal } from '../access/principal.js';
import type { RequestOrigin } from '../access/request-origin.js';
import { AgentStartsService } from '../agents/agent-starts.service.js';
import { AgentsService } from '../agents/agents.service.js';
import { PresenceService } from '../agents/presence.service.js';
import type { Transaction } from '../database/transaction.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import type { RegisterRequest } from './dto/runtime.requests.js';
import { type RegisteredResponse, toRegisteredResponse } from './dto/runtime.responses.js';
import { RegistrationBatcherService } from './registration-batcher.service.js';

/** Registers a runtime that has started, or enrols a new agent for a person. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly agents: AgentsService,
    private readonly starts: AgentStartsService,
    private readonly presence: PresenceService,
    private readonly batcher: RegistrationBatcherService,
    private readonly requests: IdempotentRequests,
  ) {}

  /**
   * Updates the agent of an agent key, or enrols a new agent for a person's credential.
   *
   * @throws NotFoundError if the agent has just been removed
   * @throws ConflictError, InvalidError as `IdempotentRequests.run`
   */
  async register(
    principal: Principal,
    origin: RequestOrigin,
    details: RegisterRequest,
    request: KeyedRequest | undefined,
  ): Promise<RegisteredResponse> {
    if (principal.kind === 'agent') return this.start({ ...principal, origin }, details, request);
    return this.requests.run(principal.userId, request, (tx) => this.enrol(tx, principal, details));
  }

  /** The call is recorded first: after its commit, the agent can't be declared lost any more. */
  private async start(
    { agentId, projectId, origin }: AgentPrincipal & { readonly origin: RequestOrigin },
    details: RegisterRequest,
    request: KeyedRequest | undefined,
  ): Promise<RegisteredResponse> {
    const intervalSeconds = await this.presence.started(agentId);
    const runIds = details.runs ?? [];
    return this.batcher.record({ agentId, projectId, origin, details, runIds, intervalSeconds, request });
  }

  private async enrol(
    tx: Transaction,
    caller: UserPrincipal,
    details: RegisterRequest,
  ): Promise<RegisteredResponse> {
    const { agent, key } = await this.agents.create(tx, caller, {
      name: details.name,
      projectId: details.project_id,
    });
    await this.starts.record(tx, [
      { held: { id: agent.id, status: agent.status }, start: { agentId: agent.id, details } },
    ]);
    const intervalSeconds = await this.presence.startedIn(tx, agent.id);
    return toRegisteredResponse({
      agentId: agent.id,
      key,
      intervalSeconds,
      runtime: details.runtime,
      deployments: [],
      approvals: [],
    });
  }
}

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

/** A runtime says that it has started, or a person enrols a new agent. */
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
   * With an agent's key it updates that agent; with a person's credential it enrols a new agent of theirs.
   *
   * @throws NotFoundError where the agent has just been removed
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

  /** The sign of life comes first: once it is committed, nobody declares the agent lost any more. */
  private async start(
    { agentId, userId, origin }: AgentPrincipal & { readonly origin: RequestOrigin },
    details: RegisterRequest,
    request: KeyedRequest | undefined,
  ): Promise<RegisteredResponse> {
    const intervalSeconds = await this.presence.started(agentId);
    return this.batcher.record({ agentId, userId, origin, details, intervalSeconds, request });
  }

  private async enrol(
    tx: Transaction,
    caller: UserPrincipal,
    details: RegisterRequest,
  ): Promise<RegisteredResponse> {
    const { agent, key } = await this.agents.create(tx, caller, { name: details.name });
    await this.starts.record(tx, [
      { held: { id: agent.id, status: agent.status }, start: { agentId: agent.id, details } },
    ]);
    const intervalSeconds = await this.presence.startedIn(tx, agent.id);
    return toRegisteredResponse({ agentId: agent.id, key, intervalSeconds, deployments: [] });
  }
}

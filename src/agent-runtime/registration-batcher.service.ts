import { Injectable } from '@nestjs/common';
import { AgentStartsService } from '../agents/agent-starts.service.js';
import type { LockedAgent } from '../agents/agent.types.js';
import type { ApprovalResponse } from '../approvals/approval.response.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Transaction } from '../database/transaction.js';
import { toAskedDeploymentResponse } from '../deployments/deployment.response.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';
import { IdempotentRequests, type Standing } from '../http/idempotency/idempotent-requests.js';
import { type RegisteredResponse, toRegisteredResponse } from './dto/runtime.responses.js';
import { type Registration, StartRecordsService } from './start-records.service.js';

/** The result of a registration in a group; null: it must be recorded alone. */
type Outcome =
  Standing<RegisteredResponse> | { readonly kind: 'done'; readonly reply: RegisteredResponse } | null;

/**
 * Commits concurrent registrations in one transaction, together with the records of their `Idempotency-Key`s: a
 * returning fleet takes as many statements as one runtime.
 */
@Injectable()
export class RegistrationBatcherService {
  private readonly groups: GroupCommit<Registration, Outcome>;

  constructor(
    private readonly starts: AgentStartsService,
    private readonly deployments: DeploymentsOfAgentsService,
    private readonly requests: IdempotentRequests,
    private readonly database: Database,
    private readonly records: StartRecordsService,
  ) {
    this.groups = new GroupCommit('registrations', (group) => this.recordGroup(group), {
      weightOf: ({ details }) => JSON.stringify(details).length,
    });
  }

  /**
   * Records a registration, and resolves after the commit.
   *
   * @throws NotFoundError if the agent has just been removed
   * @throws ConflictError, InvalidError as `IdempotentRequests.run`
   */
  async record(registration: Registration): Promise<RegisteredResponse> {
    const outcome = (await this.groups.submit(registration)) ?? (await this.recordAlone(registration));
    if (outcome.kind === 'refused') throw outcome.error;
    if (outcome.kind === 'first') throw new Error('A registration was started but not carried out');
    if (outcome.kind === 'repeated') registration.request?.markReplayed();
    return outcome.reply;
  }

  /**
   * Records a group of registrations. Agents that are gone or locked, and second registrations of the same agent, are
   * left out; those are recorded alone, so that they delay no other one.
   */
  private async recordGroup(group: readonly Registration[]): Promise<Outcome[]> {
    const first = new Map<string, Registration>();
    for (const registration of group) {
      if (!first.has(registration.agentId)) first.set(registration.agentId, registration);
    }
    const outcomes = await this.database.runtimes.transaction(async (tx) => {
      const held = await this.starts.holdFree(tx, [...first.keys()]);
      return this.carryOut(
        tx,
        held.map((agent) => [agent, first.get(agent.id)!] as const),
      );
    });
    return group.map((registration) => outcomes.get(registration) ?? null);
  }

  private async recordAlone(registration: Registration): Promise<NonNullable<Outcome>> {
    return this.database.runtimes.transaction(async (tx) => {
      const held = await this.starts.hold(tx, registration.agentId);
      return (await this.carryOut(tx, [[held, registration]])).get(registration)!;
    }, registration.projectId);
  }

  private async carryOut(
    tx: Transaction,
    held: readonly (readonly [LockedAgent, Registration])[],
  ): Promise<Map<Registration, NonNullable<Outcome>>> {
    const keyed = held.flatMap(([, registration]) => (registration.request ? [registration] : []));
    const standings = await this.requests.begin<RegisteredResponse>(
      tx,
      keyed.map(({ request }) => request!),
    );
    const outcomes = new Map<Registration, NonNullable<Outcome>>(
      keyed.map((registration, index) => [registration, standings[index]!]),
    );
    const due = held.filter(([, registration]) => (outcomes.get(registration)?.kind ?? 'first') === 'first');
    const approvals = await this.records.write(
      tx,
      due.map(([held, registration]) => ({ held, registration })),
    );
    const latest = await this.deployments.latestOf(
      tx,
      due.map(([{ id }]) => id),
    );
    for (const [index, [, registration]] of due.entries()) {
      outcomes.set(registration, {
        kind: 'done',
        reply: replyTo(registration, latest[index]!, approvals[index]!),
      });
    }
    await this.requests.keep(
      tx,
      due.flatMap(([, registration]) => {
        const outcome = outcomes.get(registration)!;
        return registration.request && outcome.kind === 'done'
          ? [{ request: registration.request, reply: outcome.reply }]
          : [];
      }),
    );
    return outcomes;
  }
}

function replyTo(
  { agentId, intervalSeconds, details }: Registration,
  deployments: Awaited<ReturnType<DeploymentsOfAgentsService['latestOf']>>[number],
  approvals: readonly ApprovalResponse[],
): RegisteredResponse {
  return toRegisteredResponse({
    agentId,
    intervalSeconds,
    runtime: details.runtime,
    deployments: deployments.map(toAskedDeploymentResponse),
    approvals,
  });
}

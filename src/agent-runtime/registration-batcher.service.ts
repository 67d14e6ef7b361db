import { Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../access/request-origin.js';
import { AgentStartsService } from '../agents/agent-starts.service.js';
import type { AgentStart } from '../agents/agent.types.js';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import { targetOf } from '../audit-log/audited-act.js';
import type { AuditedAct } from '../audit-log/audit-log.types.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Transaction } from '../database/transaction.js';
import { toDeploymentResponse } from '../deployments/deployment.response.js';
import { DeploymentReadingService } from '../deployments/deployment-reading.service.js';
import { IdempotentRequests, type Standing } from '../http/idempotency/idempotent-requests.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import { type RegisteredResponse, toRegisteredResponse } from './dto/runtime.responses.js';

/** The start of a runtime, and the request that reports it. */
export interface Registration extends AgentStart {
  /** The agent's project when its key was looked up. */
  readonly projectId: string;
  readonly origin: RequestOrigin;
  /** The assigned heartbeat interval in the reply. */
  readonly intervalSeconds: number;
  /** Absent: the request has no `Idempotency-Key`. */
  readonly request: KeyedRequest | undefined;
}

type Held = Awaited<ReturnType<AgentStartsService['holdFree']>>[number];
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
    private readonly deployments: DeploymentReadingService,
    private readonly requests: IdempotentRequests,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
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
    if (outcome.kind === 'first') throw new Error('A registration was begun and not carried out');
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
    held: readonly (readonly [Held, Registration])[],
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
    await this.starts.record(
      tx,
      due.map(([agent, start]) => ({ held: agent, start })),
    );
    await this.auditLog.writeAll(
      tx,
      due.flatMap(([agent, start]) => renamingOf(agent, start)),
    );
    const latest = await this.deployments.latestOf(
      tx,
      due.map(([{ id }]) => id),
    );
    for (const [index, [, registration]] of due.entries()) {
      outcomes.set(registration, { kind: 'done', reply: replyTo(registration, latest[index]!) });
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

/**
 * The audit entry for a changed name or description, which people edit too; the other details of a start are no
 * settings.
 */
function renamingOf(agent: Held, { origin, details }: Registration): [AuditedAct] | [] {
  const properties = (['name', 'description'] as const).filter(
    (property) => (details[property] ?? agent[property]) !== agent[property],
  );
  if (properties.length === 0) return [];
  // The row says which project it is: the agent may have been handed over since its key was looked up.
  const { id, projectId } = agent;
  const party = { kind: 'agent', agentId: id, projectId, origin } as const;
  const target = targetOf('agent', { id, projectId });
  return [{ party, action: 'agent.update', target, details: { properties } }];
}

function replyTo(
  { agentId, intervalSeconds }: Registration,
  deployments: Awaited<ReturnType<DeploymentReadingService['latestOf']>>[number],
): RegisteredResponse {
  return toRegisteredResponse({
    agentId,
    intervalSeconds,
    deployments: deployments.map(toDeploymentResponse),
  });
}

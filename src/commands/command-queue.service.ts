import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import type { WaitingCaller } from '../access/waiting-caller.js';
import { GroupCommit } from '../database/group-commit.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { linkActiveSpan, recordSpan } from '../observability/spans.js';
import { NotFoundError } from '../errors/domain-error.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import type { CommandEntity } from './command.entity.js';
import type {
  CommandRecord,
  CommandReply,
  CommandState,
  Delivery,
  LeasedCommand,
  QueueState,
} from './command.types.js';
import { CommandsRepository } from './commands.repository.js';
import { countSettled } from './count-settled.js';
import { EMPTY_TTL_MS, EmptyQueues } from './empty-queues.js';

/**
 * The queue of commands of each agent, from the delivery on: first in, first out for each deployment, delivered at least once
 * under a lease; the first reply counts. `NewCommandsService` adds commands.
 */
@Injectable()
export class CommandQueueService {
  /** Batched look-up of the queues that are not cached: thousands, when a fleet comes back. */
  private readonly states: GroupCommit<string, QueueState>;

  constructor(
    private readonly commands: CommandsRepository,
    private readonly empty: EmptyQueues,
    private readonly database: Database,
    private readonly sealingKeys: SealingKeysService,
  ) {
    this.states = new GroupCommit(
      'command queues',
      (agentIds) => commands.queueStates(database.runtimes.manager, agentIds),
      // A command is delivered after such a read, for which people wait.
      { paceMs: 0 },
    );
  }

  /** Registers a handler, which is called when an agent's queue may have changed, on any instance. */
  onChange(handler: (agentId: string) => void): void {
    this.empty.onRevoked(handler);
  }

  /** Registers a handler, which is called when changes may have been missed: any queue may have changed. */
  onMissedChanges(handler: () => void): void {
    this.empty.onReset(handler);
  }

  /** Wakes the agent's waiting polls with the commit: each then finds that its agent is gone. */
  async wake(tx: Transaction, agentId: string): Promise<void> {
    await this.empty.revoke(tx, [agentId]);
  }

  /**
   * Leases commands for a poll, without a query if the agent's queue is cached as empty.
   *
   * @param limit maximum number of commands
   * @param leaseSeconds time after which an unacknowledged command is delivered again
   * @param caller nothing is leased if it has disconnected, or is no longer authorized
   * @throws UnauthenticatedError if a command waits, and the caller's credential was revoked in the meantime
   */
  async lease(
    agentId: string,
    limit: number,
    leaseSeconds: number,
    caller: WaitingCaller,
  ): Promise<Delivery> {
    return this.empty.get(
      agentId,
      async () => {
        const state = await this.states.submit(agentId);
        if (state.waiting === 0) return { commands: [], ...state };
        // Checked after the queue was read: a command that was created after the revocation of a key must not reach its
        // holder.
        await caller.assertAllowed();
        if (caller.reply.closed) return { commands: [], ...state };
        const commands = await this.commands.lease(
          this.database.runtimes.manager,
          agentId,
          limit,
          leaseSeconds,
          this.sealingKeys.known,
        );
        traceDeliveries(agentId, commands);
        if (commands.length > 0) return { commands, waiting: state.waiting, nextDueMs: null };
        // A lease of another poll may have begun in the meantime.
        return { commands, ...(await this.states.submit(agentId)) };
      },
      (found) => (found.commands.length === 0 && found.waiting === 0 ? EMPTY_TTL_MS : 0),
    );
  }

  /**
   * Number of commands that wait for the agent, including delivered ones; without a query if the queue is cached as
   * empty.
   */
  countWaiting(agentId: string): number | Promise<number> {
    return this.empty.peek(agentId) ? 0 : this.states.submit(agentId).then(({ waiting }) => waiting);
  }

  /** @throws NotFoundError for an unknown command and for another agent's */
  async find(tx: Transaction, agentId: string, commandId: string): Promise<CommandEntity> {
    const command = await this.commands.findForAgent(tx, agentId, commandId);
    if (!command) throw new NotFoundError('Command');
    return command;
  }

  /** @returns false if this is not the first reply: nothing was changed */
  async settle(tx: Transaction, command: CommandEntity, reply: CommandReply): Promise<boolean> {
    linkActiveSpan(command.parameters.traceparent);
    const isFirst = await this.commands.settle(tx, command.id, reply);
    if (isFirst) countSettled(tx, reply.success ? 'succeeded' : 'failed');
    // The next command of the deployment may be due now.
    if (isFirst && (await this.commands.countWaiting(tx, command.agentId)) > 0) {
      await this.empty.revoke(tx, [command.agentId]);
    }
    return isFirst;
  }

  /** Commands of a deployment. The caller must have verified that the user owns the deployment. */
  listOf(
    connection: Connection,
    deploymentId: string,
    state: CommandState | null,
    request: PageRequest,
  ): Promise<Page<CommandRecord>> {
    return this.commands.listOf(connection, deploymentId, state, request);
  }

  /** @returns the number of deleted commands, at most `limit` */
  deleteSettled(connection: Connection, days: number, limit: number): Promise<number> {
    return this.commands.deleteSettled(connection, days, limit);
  }

  listExhausted(connection: Connection, limit: number) {
    return this.commands.listExhausted(connection, limit);
  }

  /** Gives the commands of an agent to another project. */
  moveForAgent(tx: Transaction, agentId: string, projectId: string): Promise<void> {
    return this.commands.moveForAgent(tx, agentId, projectId);
  }

  /** Delivers a scale to no replica again, whose last lease ended. @returns false if there is no such command */
  async deliverAnew(tx: Transaction, agentId: string, commandId: string): Promise<boolean> {
    const isDue = await this.commands.deliverAnew(tx, commandId);
    if (isDue) await this.empty.revoke(tx, [agentId]);
    return isDue;
  }

  /** Gives up a command whose last lease ended. @returns false if a reply came in the meantime */
  async giveUp(tx: Transaction, agentId: string, commandId: string): Promise<boolean> {
    const givenUp = await this.commands.markDead(tx, commandId);
    if (givenUp) {
      countSettled(tx, 'dead');
      await this.empty.revoke(tx, [agentId]);
    }
    return givenUp;
  }
}

/** Records a span for each command in the trace of the request that created it, on any instance. */
function traceDeliveries(agentId: string, commands: readonly LeasedCommand[]): void {
  for (const { id, action, deploymentId, attempt, parameters } of commands) {
    if (parameters.traceparent === undefined) continue;
    recordSpan({
      name: `deliver command ${action}`,
      kind: SpanKind.PRODUCER,
      cause: parameters.traceparent,
      attributes: {
        'control_plane.command_id': id,
        'control_plane.agent_id': agentId,
        'control_plane.deployment_id': deploymentId,
        'control_plane.attempt': attempt,
      },
    });
  }
}

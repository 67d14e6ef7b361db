import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { BatchedRead } from '../database/batched-read.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { RevocableCache } from '../database/revocable-cache.js';
import { type Connection, onCommit, type Transaction } from '../database/transaction.js';
import { newId } from '../database/new-id.js';
import { activeTraceparent, linkActiveSpan, recordSpan } from '../observability/spans.js';
import { NotFoundError, RateLimitedError } from '../errors/domain-error.js';
import type { PollCaller } from '../http/pending-poll.js';
import { COMMAND_ACTIONS, type CommandAction } from '../lifecycle/deployment-lifecycle.js';
import { settledCommands } from '../observability/instruments.js';
import { SealingKeysService } from '../sealing/sealing-keys.service.js';
import type { CommandEntity } from './command.entity.js';
import type {
  CommandRecord,
  CommandReply,
  CommandState,
  LeasedCommand,
  NewCommand,
  QueueState,
} from './command.types.js';
import { CommandsRepository } from './commands.repository.js';

/** Maximum number of commands that wait for one agent, so that they don't pile up for an agent that is down. */
export const MAXIMUM_WAITING = 1_000;
/**
 * Time for which "this agent's queue is empty" is cached; milliseconds. Limits the damage of a lost notification. When the
 * LISTEN connection was lost, the cache is empty.
 */
const EMPTY_TTL_MS = 2 * 60_000;

/** The undelivered commands of the same deployment that an action replaces. */
const SUPERSEDED_BY: Readonly<Record<CommandAction, readonly CommandAction[]>> = {
  deploy: [],
  scale: ['scale'],
  restart: [],
  stop: COMMAND_ACTIONS,
  kill: COMMAND_ACTIONS,
};

/** Result of a poll. */
export interface Delivery {
  readonly commands: readonly LeasedCommand[];
  /** Milliseconds until a lease ends and more may be due; null when nothing is leased. */
  readonly nextDueMs: number | null;
}

/**
 * The queue of commands of each agent: first in, first out for each deployment, delivered at least once under a lease;
 * the first reply counts.
 */
@Injectable()
export class CommandQueueService {
  /** Cache of empty queues, so that a poll with nothing pending costs no query. */
  private readonly empty: RevocableCache<Delivery & { readonly waiting: number }>;
  /** Batched look-up of the queues that are not cached: thousands, when a fleet comes back. */
  private readonly states: BatchedRead<string, QueueState>;

  constructor(
    private readonly commands: CommandsRepository,
    private readonly database: Database,
    private readonly sealingKeys: SealingKeysService,
  ) {
    this.empty = new RevocableCache(database, 'commands', EMPTY_TTL_MS, 'connected');
    this.states = new BatchedRead(
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

  /**
   * Adds a command. A newer scale replaces undelivered older ones; stop and kill replace all undelivered commands of
   * their deployment.
   *
   * @throws RateLimitedError if {@link MAXIMUM_WAITING} commands wait for the agent already, unless this one only ends
   *   replicas
   */
  async enqueue(tx: Transaction, command: Omit<NewCommand, 'id'>): Promise<void> {
    const { action, agentId } = command;
    const traceparent = activeTraceparent();
    const { isInserted, superseded } = await this.commands.insert(
      tx,
      {
        ...command,
        parameters: { ...command.parameters, ...(traceparent !== undefined && { traceparent }) },
        id: newId(),
      },
      SUPERSEDED_BY[action],
      action === 'stop' || action === 'kill' || command.parameters.replicas === 0 ? null : MAXIMUM_WAITING,
      this.empty.notificationOf(tx, agentId),
    );
    if (!isInserted) {
      throw new RateLimitedError(
        `${MAXIMUM_WAITING} commands wait for this agent already`,
        60,
        'command_queue_full',
      );
    }
    countSettled(tx, 'superseded', superseded);
  }

  /** Wakes the agent's waiting polls with the commit: each then finds that its agent is gone. */
  async wake(tx: Transaction, agentId: string): Promise<void> {
    await this.empty.revoke(tx, [agentId]);
  }

  /** Settles the undelivered commands of a deployment as superseded. */
  async withdraw(tx: Transaction, deploymentId: string): Promise<void> {
    countSettled(tx, 'superseded', await this.commands.supersede(tx, deploymentId));
  }

  /**
   * Leases commands for a poll. Returns at once, without a promise, if the agent's queue is cached as empty.
   *
   * @param limit maximum number of commands
   * @param leaseSeconds time after which an unacknowledged command is delivered again
   * @param caller nothing is leased if it has disconnected, or is no longer authorized
   * @throws UnauthenticatedError if a command waits, and the caller's credential was revoked in the meantime
   */
  lease(
    agentId: string,
    limit: number,
    leaseSeconds: number,
    caller: Pick<PollCaller<unknown>, 'reply' | 'assertAllowed'>,
  ): Delivery | Promise<Delivery> {
    return this.empty.get(
      agentId,
      async () => {
        const state = await this.states.read(agentId);
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
        return { commands, ...(await this.states.read(agentId)) };
      },
      (found) => (found.commands.length === 0 && found.waiting === 0 ? EMPTY_TTL_MS : 0),
    );
  }

  /**
   * Number of commands that wait for the agent, including delivered ones; without a query if the queue is cached as
   * empty.
   */
  countWaiting(agentId: string): number | Promise<number> {
    return this.empty.peek(agentId) ? 0 : this.states.read(agentId).then(({ waiting }) => waiting);
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

  /** Returns true if the deployment's runtime may have begun it, because a command of it was delivered. */
  wasDelivered(tx: Transaction, deploymentId: string): Promise<boolean> {
    return this.commands.wasDelivered(tx, deploymentId);
  }

  /** Delivers a scale to no replica anew, whose last lease ended. @returns false if there is no such command */
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

function countSettled(tx: Transaction, state: CommandState, count = 1): void {
  onCommit(tx, () => settledCommands.inc({ state }, count));
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

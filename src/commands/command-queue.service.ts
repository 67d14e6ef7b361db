import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { v7 as uuidv7 } from 'uuid';
import { BatchedRead } from '../database/batched-read.js';
import { Database } from '../database/database.js';
import type { Page, PageRequest } from '../database/page.js';
import { RevocableCache } from '../database/revocable-cache.js';
import { type Connection, onCommit, type Transaction } from '../database/transaction.js';
import { activeTraceparent, linkActiveSpan, recordSpan } from '../observability/spans.js';
import { NotFoundError, RateLimitedError } from '../errors/domain-error.js';
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
  PollCaller,
  QueueState,
} from './command.types.js';
import { CommandsRepository } from './commands.repository.js';

/** Commands that may wait for one agent; more would only pile up behind an agent that is away. */
export const MAXIMUM_WAITING = 1_000;
/**
 * Time for which "this agent's queue is empty" is cached; milliseconds. Limits the damage of a lost notification. When the
 * LISTEN connection was lost, the cache is empty.
 */
export const EMPTY_TTL_MS = 2 * 60_000;

/** The commands of the same deployment that an action makes needless while they are not delivered. */
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
 * The commands that wait for each agent: first in, first out for each deployment, delivered at least once under a
 * lease, the first reply wins.
 */
@Injectable()
export class CommandQueueService {
  /** Remembers which queues are empty, so that a poll with nothing pending costs no query. */
  private readonly empty: RevocableCache<Delivery & { readonly waiting: number }>;
  /** What is not remembered is asked together: thousands of queues, when a fleet comes back. */
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
      // A command is delivered behind such a read, and people wait for it.
      { paceMs: 0 },
    );
  }

  /** Calls back when an agent's queue may hold something new, whichever instance put it there. */
  onChange(handler: (agentId: string) => void): void {
    this.empty.onRevoked(handler);
  }

  /** Calls back when changes may have been missed: any queue may hold something new. */
  onMissedChanges(handler: () => void): void {
    this.empty.onReset(handler);
  }

  /**
   * Adds a command. A newer scale replaces undelivered older ones; stop and kill replace everything undelivered
   * of their deployment.
   *
   * @throws RateLimitedError when {@link MAXIMUM_WAITING} commands wait for the agent already
   */
  async enqueue(tx: Transaction, command: Omit<NewCommand, 'id'>): Promise<void> {
    const { action, agentId } = command;
    const traceparent = activeTraceparent();
    const { isInserted, superseded } = await this.commands.insert(
      tx,
      {
        ...command,
        parameters: { ...command.parameters, ...(traceparent !== undefined && { traceparent }) },
        id: uuidv7(),
      },
      SUPERSEDED_BY[action],
      action === 'stop' || action === 'kill' ? null : MAXIMUM_WAITING,
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

  /** Wakes the agent's waiting polls with the commit: they look, and find that their agent is gone. */
  async wake(tx: Transaction, agentId: string): Promise<void> {
    await this.empty.revoke(tx, [agentId]);
  }

  /** Takes back what was not delivered yet of a deployment's commands. */
  async withdraw(tx: Transaction, deploymentId: string): Promise<void> {
    countSettled(tx, 'superseded', await this.commands.supersede(tx, deploymentId));
  }

  /**
   * At once where the agent's queue is remembered as empty.
   *
   * @param limit commands at most
   * @param leaseSeconds after which a command that was not acknowledged is delivered again
   * @param caller nothing is leased where it has disconnected, or is not allowed any more
   * @throws UnauthenticatedError where something waits, and the caller's credential was revoked meanwhile
   */
  lease(
    agentId: string,
    limit: number,
    leaseSeconds: number,
    caller: Pick<PollCaller, 'reply' | 'assertAllowed'>,
  ): Delivery | Promise<Delivery> {
    return this.empty.get(
      agentId,
      async () => {
        const state = await this.states.read(agentId);
        if (state.waiting === 0) return { commands: [], ...state };
        // After the queue was read: what was made after the revocation of a key must not go to whoever holds it.
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
        // Another poll's lease may have begun since.
        return { commands, ...(await this.states.read(agentId)) };
      },
      (found) => (found.commands.length === 0 && found.waiting === 0 ? EMPTY_TTL_MS : 0),
    );
  }

  /** How many commands wait for the agent, delivered ones included; without a query while there are none. */
  countWaiting(agentId: string): number | Promise<number> {
    return this.empty.peek(agentId) ? 0 : this.states.read(agentId).then(({ waiting }) => waiting);
  }

  /** @throws NotFoundError for an unknown command and for another agent's */
  async find(tx: Transaction, agentId: string, commandId: string): Promise<CommandEntity> {
    const command = await this.commands.findForAgent(tx, agentId, commandId);
    if (!command) throw new NotFoundError('Command');
    return command;
  }

  /** @returns false where this is not the first reply: nothing was changed */
  async settle(tx: Transaction, command: CommandEntity, reply: CommandReply): Promise<boolean> {
    linkActiveSpan(command.parameters.traceparent);
    const isFirst = await this.commands.settle(tx, command.id, reply);
    if (isFirst) countSettled(tx, reply.success ? 'succeeded' : 'failed');
    // The next one of the deployment may be due now.
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

  /** @returns how many were deleted, at most `limit` */
  deleteSettled(connection: Connection, days: number, limit: number): Promise<number> {
    return this.commands.deleteSettled(connection, days, limit);
  }

  listExhausted(connection: Connection, limit: number) {
    return this.commands.listExhausted(connection, limit);
  }

  /** Gives up a command whose last lease ended. @returns false where a reply came in the meantime */
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

/** A span for each command in the trace of the request that made it, whichever instance that reached. */
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

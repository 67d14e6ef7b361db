import { Injectable } from '@nestjs/common';
import { newId } from '../database/new-id.js';
import type { Transaction } from '../database/transaction.js';
import { RateLimitedError } from '../errors/domain-error.js';
import { COMMAND_ACTIONS, type CommandAction } from '../lifecycle/deployment-lifecycle.js';
import { activeTraceparent } from '../observability/spans.js';
import type { NewCommand } from './command.types.js';
import { countSettled } from './count-settled.js';
import { EmptyQueues } from './empty-queues.js';
import { NewCommandsRepository } from './new-commands.repository.js';

/** Maximum number of commands that wait for one agent, so that they don't pile up for an agent that is down. */
export const MAXIMUM_WAITING = 1_000;
/** The undelivered commands of the same deployment that an action replaces. */
const SUPERSEDED_BY: Readonly<Record<CommandAction, readonly CommandAction[]>> = {
  deploy: [],
  scale: ['scale'],
  restart: [],
  stop: COMMAND_ACTIONS,
  kill: COMMAND_ACTIONS,
};

/** Adds commands in the transactions of the steps that need them. `CommandQueueService` delivers them. */
@Injectable()
export class NewCommandsService {
  constructor(
    private readonly commands: NewCommandsRepository,
    private readonly empty: EmptyQueues,
  ) {}

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
        `The agent has ${MAXIMUM_WAITING} waiting commands, the maximum: wait until it has acknowledged some`,
        60,
        'command_queue_full',
      );
    }
    countSettled(tx, 'superseded', superseded);
  }

  /** Settles the undelivered commands of a deployment as superseded. */
  async withdraw(tx: Transaction, deploymentId: string): Promise<void> {
    countSettled(tx, 'superseded', await this.commands.supersede(tx, deploymentId));
  }

  /** Returns true if the deployment's runtime may have begun it, because a command of it was delivered. */
  wasDelivered(tx: Transaction, deploymentId: string): Promise<boolean> {
    return this.commands.wasDelivered(tx, deploymentId);
  }
}

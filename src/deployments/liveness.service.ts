import { Injectable } from '@nestjs/common';
import { AgentLifecycleService } from '../agents/agent-lifecycle.service.js';
import { PresenceService } from '../agents/presence.service.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { RESTART_WINDOW_SECONDS } from '../lifecycle/restart-pace.js';
import { DeploymentLifecycleService } from './deployment-lifecycle.service.js';
import { LivenessRepository } from './liveness.repository.js';

/** Maximum number of rows of a kind in one round of the monitor. */
const BATCH = 200;

/** Error message for a flapping agent. No further loss events are sent until its window has ended. */
const FLAPPING_MESSAGE =
  'Flapping: the heartbeat was lost three times within ten minutes. A recovery counts once it has been stable ' +
  'for ten minutes';

/** Takes the steps that follow from time: lost heartbeats, missed deadlines, unanswered commands. */
@Injectable()
export class LivenessService {
  constructor(
    private readonly presence: PresenceService,
    private readonly agents: AgentLifecycleService,
    private readonly lifecycle: DeploymentLifecycleService,
    private readonly due: LivenessRepository,
    private readonly commands: CommandQueueService,
  ) {}

  findSilence(connection: Connection) {
    return this.presence.findSilence(connection);
  }

  /**
   * Marks an agent as lost, unless it has called in the meantime. No command is sent, because a lost agent is not meant
   * to stop.
   */
  async markLost(tx: Transaction, agentId: string): Promise<boolean> {
    const agent = await this.agents.lock(tx, agentId);
    const loss = await this.presence.markLost(tx, agentId);
    if (!loss) return false;
    const errorMessage = loss.flaps ? FLAPPING_MESSAGE : 'No heartbeat within the agent’s timeout';
    const lost = await this.lifecycle.applyToActive(tx, 'monitor', agent, 'lose', { errorMessage });
    // A stopped agent that goes silent did as it was asked.
    if (agent.status !== 'stopped' && lost.length === 0) await this.agents.apply(tx, agent, 'lose');
    return true;
  }

  listOverdue(connection: Connection, deadlineSeconds: number) {
    return this.due.listOverdue(connection, deadlineSeconds, BATCH);
  }

  async expire(
    tx: Transaction,
    agentId: string,
    deploymentId: string,
    deadlineSeconds: number,
  ): Promise<void> {
    const agent = await this.agents.lock(tx, agentId);
    const deployment = await this.lifecycle.lockOf(tx, agentId, deploymentId);
    // A pause has begun meanwhile: the deployment gets its full time again when that ends.
    if (!deployment || deployment.isHeld) return;
    const errorMessage = `Not running within ${deadlineSeconds} seconds`;
    await this.lifecycle.applyTo(tx, 'monitor', { agent, deployment }, 'expire', { errorMessage });
  }

  listQuiet(connection: Connection) {
    return this.due.listQuiet(connection, RESTART_WINDOW_SECONDS, BATCH);
  }

  /** Ends the frequent restarts of a deployment after a quiet window, unless it has restarted in the meantime. */
  async stabilise(tx: Transaction, agentId: string, deploymentId: string): Promise<void> {
    const agent = await this.agents.lock(tx, agentId);
    if (!(await this.due.isStillQuiet(tx, deploymentId, RESTART_WINDOW_SECONDS))) return;
    await this.lifecycle.calm(tx, agent, deploymentId);
  }

  listExhausted(connection: Connection) {
    return this.commands.listExhausted(connection, BATCH);
  }

  /**
   * Fails the deployment of a command that was delivered and never acknowledged. Its agent is stalled, not lost.
   * During a pause nothing fails so: what the pause asks for is asked again and again, and earlier requests at its
   * end.
   */
  async giveUp(
    tx: Transaction,
    command: { id: string; agentId: string; deploymentId: string },
  ): Promise<void> {
    const agent = await this.agents.lock(tx, command.agentId);
    const deployment = await this.lifecycle.lockOf(tx, agent.id, command.deploymentId);
    const isHeld = deployment?.isHeld === true;
    if (isHeld && (await this.commands.deliverAnew(tx, agent.id, command.id))) return;
    if (!(await this.commands.giveUp(tx, agent.id, command.id))) return;
    if (isHeld) return this.agents.confirmPause(tx, agent);
    const errorMessage = 'The agent is alive but left a command unacknowledged after five deliveries';
    await this.lifecycle.apply(tx, 'monitor', agent, command.deploymentId, 'stall', { errorMessage });
  }
}

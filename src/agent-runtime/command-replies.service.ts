import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { AgentTransactionsService } from '../agents/agent-transactions.service.js';
import { PresenceService } from '../agents/presence.service.js';
import { CommandQueueService } from '../commands/command-queue.service.js';
import { RuntimeReportsService } from '../deployments/runtime-reports.service.js';
import type { AcknowledgeCommandRequest } from './dto/runtime.requests.js';

@Injectable()
export class CommandRepliesService {
  constructor(
    private readonly transactions: AgentTransactionsService,
    private readonly presence: PresenceService,
    private readonly commands: CommandQueueService,
    private readonly reports: RuntimeReportsService,
  ) {}

  /**
   * Records the first reply to a command and its effects, in one transaction. A later reply, whatever its content,
   * changes nothing.
   *
   * @returns true if this reply was the first
   * @throws NotFoundError for an unknown command and for another agent's
   */
  async acknowledge(principal: AgentPrincipal, reply: AcknowledgeCommandRequest): Promise<boolean> {
    this.presence.markSeen(principal.agentId);
    return this.transactions.run(principal, async (tx, agent) => {
      const command = await this.commands.find(tx, agent.id, reply.command_id);
      const error = reply.error ?? null;
      const isFirst = await this.commands.settle(tx, command, {
        success: reply.success,
        result: reply.result,
        error,
      });
      if (!isFirst) return false;
      await this.reports.acknowledged(tx, agent, {
        deploymentId: command.deploymentId,
        action: command.action,
        generation: command.generation,
        isRolling: command.parameters.rolling === true,
        success: reply.success,
        error,
      });
      return true;
    });
  }
}

import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import type { LeasedCommand } from '../commands/command.types.js';
import { CommandWaiting, type WaitingCaller } from '../commands/command-waiting.service.js';
import type { PollCommandsQuery } from './dto/runtime.requests.js';

@Injectable()
export class CommandPolling {
  constructor(
    private readonly waiting: CommandWaiting,
    private readonly presence: PresenceService,
  ) {}

  async poll(
    principal: AgentPrincipal,
    query: PollCommandsQuery,
    caller: WaitingCaller,
  ): Promise<readonly LeasedCommand[]> {
    void this.presence.markSeen(principal.agentId);
    return this.waiting.poll(principal.agentId, query.limit, query.wait * 1_000, caller);
  }
}

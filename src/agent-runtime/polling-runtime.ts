import type { LeasedCommand } from '../commands/command.types.js';
import { type Connected, HeldReply } from '../http/held-reply.js';
import type { Look, PollCaller } from '../http/pending-poll.js';
import { toCommandListResponse } from './dto/runtime.responses.js';
import type { RuntimeCommandsService } from './runtime-commands.service.js';

/** The runtime whose poll waits. */
export class PollingRuntime extends HeldReply implements PollCaller<readonly LeasedCommand[]> {
  constructor(
    private readonly commands: RuntimeCommandsService,
    private readonly agentId: string,
    private readonly limit: number,
    connected: Connected,
  ) {
    super(connected);
  }

  look(): Look<readonly LeasedCommand[]> | Promise<Look<readonly LeasedCommand[]>> {
    return this.commands.look(this.agentId, this.limit, this);
  }

  answer(leased: readonly LeasedCommand[] | null): void {
    this.reply.json(toCommandListResponse(this.commands.opened(this.agentId, leased ?? [])));
  }
}

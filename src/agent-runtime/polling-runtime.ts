import type { Response } from 'express';
import type { LeasedCommand, PollCaller } from '../commands/command.types.js';
import { toCommandListResponse } from './dto/runtime.responses.js';
import type { RuntimeCommandsService } from './runtime-commands.service.js';

/**
 * The runtime whose poll waits. Thousands wait at once, so it is an object with methods: as closures they took 0.3 KiB more of
 * V8's heap for each.
 */
export class PollingRuntime implements PollCaller {
  constructor(
    private readonly commands: RuntimeCommandsService,
    private readonly agentId: string,
    readonly reply: Response,
    readonly assertAllowed: () => Promise<void>,
    readonly fail: (error: unknown) => void,
  ) {}

  answer(leased: readonly LeasedCommand[]): void {
    this.reply.json(toCommandListResponse(this.commands.opened(this.agentId, leased)));
  }
}

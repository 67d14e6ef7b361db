import { Inject, Injectable } from '@nestjs/common';
import type { WaitingCaller } from '../access/waiting-caller.js';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import { LongPolls } from '../http/long-polls.js';
import type { LeasedCommand } from './command.types.js';
import { CommandQueueService } from './command-queue.service.js';

/**
 * Maximum number of concurrent polls of one agent; a runtime needs one, and two for a moment when it reconnects.
 */
const MAXIMUM_POLLS = 8;

/** Long polling: answers as soon as a command exists, on whichever instance it was created. */
@Injectable()
export class CommandWaitingService {
  private readonly polls: LongPolls<readonly LeasedCommand[]>;

  constructor(
    private readonly queue: CommandQueueService,
    drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.polls = new LongPolls(drain, MAXIMUM_POLLS);
    queue.onChange((agentId) => this.polls.wake(agentId));
    queue.onMissedChanges(() => this.polls.wakeAll());
  }

  /** Leases commands for a poll: see `CommandQueueService.lease`. Resolves to null if none is due within the time. */
  wait(
    agentId: string,
    limit: number,
    waitMs: number,
    caller: WaitingCaller,
  ): Promise<readonly LeasedCommand[] | null> {
    return this.polls.wait(agentId, waitMs, caller, async () => {
      const { COMMAND_LEASE_SECONDS } = this.settings;
      const { commands, nextDueMs } = await this.queue.lease(agentId, limit, COMMAND_LEASE_SECONDS, caller);
      return { found: commands.length > 0 ? commands : null, nextDueMs };
    });
  }
}

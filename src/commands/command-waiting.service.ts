import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import { LongPolls } from '../http/long-polls.js';
import type { Look, PollCaller } from '../http/pending-poll.js';
import type { Delivery, LeasedCommand } from './command.types.js';
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

  /** See {@link LongPolls.poll}. */
  poll(agentId: string, waitMs: number, caller: PollCaller<readonly LeasedCommand[]>): void {
    this.polls.poll(agentId, waitMs, caller);
  }

  /** Leases commands for a poll; see `CommandQueueService.lease`. */
  look(
    agentId: string,
    limit: number,
    caller: Pick<PollCaller<unknown>, 'reply' | 'assertAllowed'>,
  ): Look<readonly LeasedCommand[]> | Promise<Look<readonly LeasedCommand[]>> {
    const leased = this.queue.lease(agentId, limit, this.settings.COMMAND_LEASE_SECONDS, caller);
    return leased instanceof Promise ? leased.then(lookOf) : lookOf(leased);
  }
}

function lookOf({ commands, nextDueMs }: Delivery): Look<readonly LeasedCommand[]> {
  return { found: commands.length > 0 ? commands : null, nextDueMs };
}

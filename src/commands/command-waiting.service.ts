import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import type { LeasedCommand, PollCaller } from './command.types.js';
import { CommandQueueService, EMPTY_TTL_MS } from './command-queue.service.js';
import { PendingPoll } from './pending-poll.js';

/** Minimum pause before a poll reads the queue again for the end of a lease; milliseconds. */
const MINIMUM_PAUSE_MS = 50;

/**
 * Maximum number of concurrent polls of one agent; a runtime needs one, and two for a moment when it reconnects. With
 * one more, the oldest is answered empty: the holder of a key can neither fill the memory with polls, nor make one
 * command wake thousands.
 */
const MAXIMUM_POLLS = 8;

/** Long polling: answers as soon as a command exists, on whichever instance it was created. */
@Injectable()
export class CommandWaitingService {
  private readonly waiting = new Map<string, PendingPoll[]>();

  constructor(
    private readonly queue: CommandQueueService,
    private readonly drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    queue.onChange((agentId) => this.wake(agentId));
    queue.onMissedChanges(() => this.wakeAll());
    drain.onBegin(() => this.wakeAll());
  }

  /**
   * Starts a poll, and returns at once. The caller gets one answer or one error: an `UnauthenticatedError` if its
   * credential was revoked in the meantime.
   *
   * @param waitMs maximum time to wait for a command; 0 answers as soon as the queue was read
   */
  poll(agentId: string, limit: number, waitMs: number, caller: PollCaller): void {
    const deadline = waitMs > 0 ? performance.now() + waitMs : 0;
    const poll = new PendingPoll(agentId, limit, deadline, caller, this.serve);
    if (waitMs > 0) this.subscribe(poll);
    void this.serve(poll);
  }

  /** Answers the poll, or puts it to sleep; after it wakes, it is served again. */
  private readonly serve = async (poll: PendingPoll): Promise<void> => {
    const { agentId, limit, deadline, caller } = poll;
    try {
      for (;;) {
        if (poll.isWoken) {
          // New commands are left to the next poll: an instance that is ending need not query the database.
          if (this.drain.isDraining || poll.isDisplaced) return this.answer(poll, []);
          poll.isWoken = false;
          // The key may have been revoked, alone or with its agent: that ends the wait, even if nothing is pending.
          await caller.assertAllowed();
        }
        if (caller.reply.closed) return this.answer(poll, []);
        const leased = this.queue.lease(agentId, limit, this.settings.COMMAND_LEASE_SECONDS, caller);
        // A queue that is cached as empty is answered at once, without a promise.
        const { commands, nextDueMs } = leased instanceof Promise ? await leased : leased;
        const remaining = deadline > 0 ? deadline - performance.now() : 0;
        if (commands.length > 0 || remaining <= 0 || this.drain.isDraining)
          return this.answer(poll, commands);
        const due = Math.max(nextDueMs ?? Infinity, MINIMUM_PAUSE_MS);
        if (poll.sleep(Math.min(remaining, EMPTY_TTL_MS, due))) return;
      }
    } catch (error) {
      this.unsubscribe(poll);
      caller.fail(error);
    }
  };

  private answer(poll: PendingPoll, commands: readonly LeasedCommand[]): void {
    this.unsubscribe(poll);
    poll.caller.answer(commands);
  }

  private wakeAll(): void {
    for (const agentId of [...this.waiting.keys()]) this.wake(agentId);
  }

  private wake(agentId: string): void {
    for (const poll of [...(this.waiting.get(agentId) ?? [])]) poll.wake();
  }

  /** Subscribes before the queue is read, so that no change in between is missed. */
  private subscribe(poll: PendingPoll): void {
    poll.caller.reply.on('close', poll.wake);
    const polls = this.waiting.get(poll.agentId);
    if (polls) polls.push(poll);
    else this.waiting.set(poll.agentId, [poll]);
    if (polls && polls.length > MAXIMUM_POLLS) {
      const oldest = polls.shift()!;
      oldest.isDisplaced = true;
      oldest.wake();
    }
  }

  private unsubscribe(poll: PendingPoll): void {
    const polls = this.waiting.get(poll.agentId);
    if (!polls) return;
    const others = polls.filter((other) => other !== poll);
    if (others.length > 0) this.waiting.set(poll.agentId, others);
    else this.waiting.delete(poll.agentId);
  }
}

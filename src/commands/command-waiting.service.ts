import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import type { LeasedCommand } from './command.types.js';
import { CommandQueue, EMPTY_TTL_MS } from './command-queue.service.js';

/** Never look again sooner than this for a lease that is about to end; milliseconds. */
const MINIMUM_PAUSE_MS = 50;

/**
 * Polls of one agent that wait at once; a runtime needs one, and two for a moment when it reconnects. One more, and the
 * oldest is answered empty: who holds a key can't fill the memory with polls, nor make one command wake thousands.
 */
const MAXIMUM_POLLS = 8;

/** A poll that waits. */
class Sleeper {
  /** Made room for a newer one. */
  isDisplaced = false;
  wake!: () => void;
  private readonly woken = new Promise<void>((resolve) => (this.wake = resolve));
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly reply: PendingReply) {}

  /** Resolves when the sleeper is woken, when its time is up, and when its caller disconnects. */
  sleep(milliseconds: number): Promise<void> {
    this.timer = setTimeout(this.wake, milliseconds);
    this.reply.on('close', this.wake);
    if (this.reply.closed) this.wake();
    return this.woken;
  }

  end(): void {
    clearTimeout(this.timer);
    this.reply.off('close', this.wake);
  }
}

/** The response of a poll, which is closed when the caller disconnects before it is sent. */
type PendingReply = Pick<ServerResponse, 'closed' | 'on' | 'off'>;

/** The caller of a long poll. It may disconnect or lose its authorization while it waits, so both are checked again. */
export interface WaitingCaller {
  /** Nothing is leased once it is closed, because nobody would receive it. */
  readonly reply: PendingReply;
  /** Throws the error that a request with the same credential would be refused with now. */
  readonly assertAllowed: () => Promise<void>;
}

/** Long polling: answers as soon as a command exists, whichever instance made it. */
@Injectable()
export class CommandWaiting {
  private readonly sleepers = new Map<string, Sleeper[]>();

  constructor(
    private readonly queue: CommandQueue,
    private readonly drain: Drain,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    queue.onChange((agentId) => this.wake(agentId));
    queue.onMissedChanges(() => this.wakeAll());
    drain.onBegin(() => this.wakeAll());
  }

  /**
   * Subscribes, then reads, then waits, so that nothing that happens in between is missed.
   *
   * @param waitMs how long to wait for a command at most; 0 answers at once
   * @throws UnauthenticatedError where the credential was revoked while the poll waited
   */
  async poll(
    agentId: string,
    limit: number,
    waitMs: number,
    caller: WaitingCaller,
  ): Promise<readonly LeasedCommand[]> {
    const deadline = performance.now() + waitMs;
    while (!caller.reply.closed) {
      const sleeper = this.subscribe(agentId, caller);
      try {
        const delivery = await this.queue.lease(agentId, limit, this.settings.COMMAND_LEASE_SECONDS);
        const remaining = deadline - performance.now();
        if (delivery.commands.length > 0 || remaining <= 0 || this.drain.isDraining) return delivery.commands;
        const due = Math.max(delivery.nextDueMs ?? Infinity, MINIMUM_PAUSE_MS);
        await sleeper.sleep(Math.min(remaining, EMPTY_TTL_MS, due));
      } finally {
        this.unsubscribe(agentId, sleeper);
      }
      // Whatever came meanwhile waits for the next poll, and an ending needs no database.
      if (this.drain.isDraining || sleeper.isDisplaced) return [];
      // A command that was made after the revocation must not go to whoever holds the revoked key.
      await caller.assertAllowed();
    }
    return [];
  }

  private wakeAll(): void {
    for (const agentId of [...this.sleepers.keys()]) this.wake(agentId);
  }

  private wake(agentId: string): void {
    for (const sleeper of this.sleepers.get(agentId) ?? []) sleeper.wake();
  }

  private subscribe(agentId: string, { reply }: WaitingCaller): Sleeper {
    const sleeper = new Sleeper(reply);
    const sleepers = this.sleepers.get(agentId);
    if (sleepers) sleepers.push(sleeper);
    else this.sleepers.set(agentId, [sleeper]);
    if (sleepers && sleepers.length > MAXIMUM_POLLS) {
      const oldest = sleepers.shift()!;
      oldest.isDisplaced = true;
      oldest.wake();
    }
    return sleeper;
  }

  private unsubscribe(agentId: string, sleeper: Sleeper): void {
    sleeper.end();
    const others = this.sleepers.get(agentId)?.filter((other) => other !== sleeper) ?? [];
    if (others.length > 0) this.sleepers.set(agentId, others);
    else this.sleepers.delete(agentId);
  }
}

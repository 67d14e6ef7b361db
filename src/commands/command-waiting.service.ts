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

interface Sleeper {
  readonly wake: () => void;
  /** Made room for a newer one. */
  isDisplaced: boolean;
}

/** Who waits, for longer than may be taken for granted that they still may and want to. */
export interface WaitingCaller {
  /** Aborted when the caller has gone: what nobody would receive is not leased. */
  readonly gone: AbortSignal;
  /** Throws what a request with the same credential would be refused with now. */
  readonly assertAllowed: () => Promise<void>;
}

/** Long polling: answers as soon as a command exists, whichever instance made it. */
@Injectable()
export class CommandWaiting {
  private readonly sleepers = new Map<string, Set<Sleeper>>();

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
    while (!caller.gone.aborted) {
      const sleep = this.subscribe(agentId);
      try {
        const delivery = await this.queue.lease(agentId, limit, this.settings.COMMAND_LEASE_SECONDS);
        const remaining = deadline - performance.now();
        if (delivery.commands.length > 0 || remaining <= 0 || this.drain.isDraining) return delivery.commands;
        const due = Math.max(delivery.nextDueMs ?? Infinity, MINIMUM_PAUSE_MS);
        await sleep.until(Math.min(remaining, EMPTY_TTL_MS, due), caller.gone);
      } finally {
        sleep.end();
      }
      // Whatever came meanwhile waits for the next poll, and an ending needs no database.
      if (this.drain.isDraining || sleep.isDisplaced) return [];
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

  private subscribe(agentId: string) {
    const { promise: woken, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const sleeper: Sleeper = { wake, isDisplaced: false };
    const sleepers = this.sleepers.get(agentId) ?? new Set();
    this.sleepers.set(agentId, sleepers.add(sleeper));
    if (sleepers.size > MAXIMUM_POLLS) {
      const [oldest] = sleepers;
      oldest!.isDisplaced = true;
      oldest!.wake();
      sleepers.delete(oldest!);
    }
    return {
      get isDisplaced() {
        return sleeper.isDisplaced;
      },
      until: async (milliseconds: number, abandoned: AbortSignal): Promise<void> => {
        const timer = setTimeout(wake, milliseconds);
        abandoned.addEventListener('abort', wake);
        if (abandoned.aborted) wake();
        await woken;
        clearTimeout(timer);
        abandoned.removeEventListener('abort', wake);
      },
      end: () => {
        sleepers.delete(sleeper);
        if (sleepers.size === 0 && this.sleepers.get(agentId) === sleepers) this.sleepers.delete(agentId);
      },
    };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../config/settings.js';
import { Drain } from '../http/drain.js';
import type { LeasedCommand } from './command.types.js';
import { CommandQueue } from './command-queue.service.js';

/**
 * A waiting poll looks again after this long even unasked, in case a wake-up was lost for a reason that nobody thought
 * of; milliseconds. When the connection that brings them has been away, all polls look again at once.
 */
const SAFETY_READ_MS = 15_000;
/** Never look again sooner than this for a lease that is about to end; milliseconds. */
const MINIMUM_PAUSE_MS = 50;

/** Long polling: answers as soon as a command exists, whichever instance made it. */
@Injectable()
export class CommandWaiting {
  private readonly sleepers = new Map<string, Set<() => void>>();

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
   * @param abandoned aborted when the caller has gone: what nobody would receive is not leased
   */
  async poll(
    agentId: string,
    limit: number,
    waitMs: number,
    abandoned: AbortSignal,
  ): Promise<readonly LeasedCommand[]> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      const sleep = this.subscribe(agentId);
      try {
        const delivery = await this.queue.lease(agentId, limit, this.settings.COMMAND_LEASE_SECONDS);
        const remaining = deadline - performance.now();
        if (delivery.commands.length > 0 || remaining <= 0 || this.drain.isDraining) return delivery.commands;
        const due = Math.max(delivery.nextDueMs ?? Infinity, MINIMUM_PAUSE_MS);
        await sleep.until(Math.min(remaining, SAFETY_READ_MS, due), abandoned);
      } finally {
        sleep.end();
      }
      if (abandoned.aborted) return [];
    }
  }

  private wakeAll(): void {
    for (const agentId of [...this.sleepers.keys()]) this.wake(agentId);
  }

  private wake(agentId: string): void {
    for (const wake of this.sleepers.get(agentId) ?? []) wake();
  }

  private subscribe(agentId: string) {
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const sleepers = this.sleepers.get(agentId) ?? new Set();
    this.sleepers.set(agentId, sleepers.add(wake));
    return {
      until: async (milliseconds: number, abandoned: AbortSignal): Promise<void> => {
        const timer = setTimeout(wake, milliseconds);
        abandoned.addEventListener('abort', wake);
        if (abandoned.aborted) wake();
        await woken;
        clearTimeout(timer);
        abandoned.removeEventListener('abort', wake);
      },
      end: () => {
        sleepers.delete(wake);
        if (sleepers.size === 0 && this.sleepers.get(agentId) === sleepers) this.sleepers.delete(agentId);
      },
    };
  }
}

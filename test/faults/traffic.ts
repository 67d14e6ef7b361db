import { setTimeout as delay } from 'node:timers/promises';
import type { ApiReply } from '../harness/api-client.js';
import { expectError } from '../harness/error-shape.js';

/** Sends each kind of request again and again, from several clients at once, until it is ended. */
export class Traffic {
  readonly seen = new Map<string, Set<number>>();
  /** Every status since the beginning; `forget` keeps them. */
  readonly everSeen = new Set<number>();
  readonly created: string[] = [];
  private ended = false;
  private readonly clients: Promise<void>[];

  /** @param pauseMs of each client between two requests: more of them would find no other faults, and cost processor time */
  constructor(
    requests: Record<string, () => Promise<ApiReply<any>>>,
    private readonly pauseMs = 25,
  ) {
    this.clients = Object.entries(requests).flatMap(([name, send]) => [
      this.repeat(name, send),
      this.repeat(name, send),
    ]);
  }

  async end(): Promise<void> {
    this.ended = true;
    await Promise.all(this.clients);
  }

  /** Statuses that are neither success nor "come again later". */
  get failures(): string[] {
    return [...this.seen].flatMap(([name, statuses]) =>
      [...statuses].filter((status) => status >= 300 && status !== 503).map((status) => `${name}: ${status}`),
    );
  }

  hasSeen(status: number): boolean {
    return [...this.seen.values()].every((statuses) =>
      [...statuses].some((one) => Math.trunc(one / 100) * 100 === status || one === status),
    );
  }

  forget(): void {
    this.seen.clear();
  }

  private async repeat(name: string, send: () => Promise<ApiReply<any>>): Promise<void> {
    while (!this.ended) {
      const reply = await send();
      if (reply.status === 503) expectError(reply, 503);
      if (reply.status === 201) this.created.push(reply.body.id);
      this.everSeen.add(reply.status);
      this.seen.set(name, (this.seen.get(name) ?? new Set()).add(reply.status));
      await delay(this.pauseMs);
    }
  }
}

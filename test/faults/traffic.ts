import { setTimeout as delay } from 'node:timers/promises';
import { createAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import type { ApiReply } from '../harness/api-client.js';
import { expectError } from '../harness/error-shape.js';
import type { TestApp } from '../harness/test-app.js';

type Requests = Readonly<Record<string, () => Promise<ApiReply<any>>>>;

/**
 * Requests of a person and of three agents, which are created first.
 *
 * @param app the target of all requests, also of the person's own
 */
export async function dailyRequests(app: Pick<TestApp, 'api'>, person: Person): Promise<Requests> {
  const agents = await Promise.all([1, 2, 3].map(() => createAgent(app, person)));
  const [beats, polls, logs] = agents.map(({ runtime }) => runtime);
  return {
    heartbeats: () => beats!.post('/agents/heartbeat', {}),
    polls: () => polls!.get('/agents/commands?wait=2'),
    logs: () => logs!.post('/agents/logs', { level: 'info', message: 'hello' }),
    lists: () => person.api.get('/agents'),
    creations: () => person.api.post('/agents', { name: 'made meanwhile' }),
  };
}

/** Sends each kind of request repeatedly, from several clients at once, until its end. */
export class Traffic {
  readonly seen = new Map<string, Set<number>>();
  /** Every request that failed since the beginning, with its status. `forget` does not empty it. */
  readonly unsuccessful = new Set<string>();
  readonly created: string[] = [];
  private ended = false;
  private readonly clients: Promise<void>[];

  /**
   * @param pauseMs of each client between two requests: more requests would find no other faults, and take processor
   * time
   */
  constructor(
    private readonly requests: Requests,
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

  /** Returns true if each kind of request was answered since the beginning, or since `forget`. */
  get isComplete(): boolean {
    return this.seen.size === Object.keys(this.requests).length;
  }

  /** Returns true if each kind of request was answered with success since the beginning, or since `forget`. */
  get isServed(): boolean {
    const isSuccess = (status: number) => status < 300;
    return this.isComplete && [...this.seen.values()].every((statuses) => [...statuses].some(isSuccess));
  }

  forget(): void {
    this.seen.clear();
  }

  private async repeat(name: string, send: () => Promise<ApiReply<any>>): Promise<void> {
    while (!this.ended) {
      const reply = await send();
      if (reply.status === 503) expectError(reply, 503);
      if (reply.status === 201) this.created.push(reply.body.id);
      if (reply.status >= 300) this.unsuccessful.add(`${name}: ${reply.status}`);
      this.seen.set(name, (this.seen.get(name) ?? new Set()).add(reply.status));
      await delay(this.pauseMs);
    }
  }
}

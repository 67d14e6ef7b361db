import { setTimeout as delay } from 'node:timers/promises';
import type { Person } from './person.js';
import { Random } from './random.js';
import type { Recorder } from './recorder.js';
import type { RunLedger } from './run-ledger.js';

const REQUESTS_AT_ONCE = 64;

/** Simulated people who ask agents for runs. */
export class RunDriver {
  private readonly random: Random;

  /** @param deployed ids of agents that a person has deployed; it grows */
  constructor(
    private readonly person: Person,
    private readonly deployed: readonly string[],
    private readonly ledger: RunLedger,
    private readonly recorder: Recorder,
    seed: number,
  ) {
    this.random = new Random(seed);
  }

  /** Asks at a steady rate until the end, then waits for the answers to all. */
  async run(perSecond: number, ended: AbortSignal): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const begunAt = performance.now();
    for (let count = 1; ; count++) {
      const due = begunAt + (count * 1_000) / perSecond;
      await delay(Math.max(0, due - performance.now()), undefined, { signal: ended }).catch(() => undefined);
      if (ended.aborted) break;
      if (this.deployed.length === 0 || underWay.size >= REQUESTS_AT_ONCE) continue;
      const work = this.ask(this.random.pick(this.deployed));
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    }
    await Promise.all(underWay);
  }

  private async ask(agentId: string): Promise<void> {
    try {
      const body = { input: { question: 'How many are open?' }, name: 'question' };
      const { reply, askedAt } = await this.person.persist('ask', 'POST', `/agents/${agentId}/runs`, body);
      if (reply.status === 201) this.ledger.asked(reply.body.id, agentId, askedAt);
      else this.recorder.violated(`ask answered ${reply.status}`, JSON.stringify(reply.body));
    } catch (error) {
      this.recorder.violated("a person's question failed", String(error));
    }
  }
}

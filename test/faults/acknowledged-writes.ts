import { setTimeout as delay } from 'node:timers/promises';
import type { TestAgent } from '../builders/agents.js';
import type { TestDatabase } from '../harness/test-database.js';

const PAUSE_MS = 10;

/** One client that writes lines one after the other, each when the one before was answered. */
export class AcknowledgedWrites {
  /** The lines that were acknowledged, in their order. */
  readonly lines: string[] = [];
  private ended = false;
  private readonly client: Promise<void>;

  constructor(agent: TestAgent, name: string) {
    this.client = this.write(agent, name);
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.client;
  }

  /** One letter for each acknowledged line: `k` if it is kept, `l` if it is lost. */
  async fates(database: TestDatabase): Promise<string> {
    const rows = await database.query<{ message: string }>('SELECT message FROM agent_logs');
    const kept = new Set(rows.map(({ message }) => message));
    return this.lines.map((line) => (kept.has(line) ? 'k' : 'l')).join('');
  }

  private async write(agent: TestAgent, name: string): Promise<void> {
    for (let number = 1; !this.ended; number++) {
      const message = `${name} ${number}`;
      const { status } = await agent.runtime.post('/agents/logs', { level: 'info', message });
      if (status < 300) this.lines.push(message);
      await delay(PAUSE_MS);
    }
  }
}

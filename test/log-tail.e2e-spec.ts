import { Database } from '../src/database/database.js';
import { LogTailRepository } from '../src/telemetry/log-tail.repository.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Size of PostgreSQL's pages for readers that follow logs. */
const PAGE_BYTES = 128 * 1024;
const ENTRIES = 180;

let app: TestApp;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  agent = await createAgent(app, await registerPerson(app));
});

afterAll(() => app.close());

/** Stores large entries, and reads them like a stream. @returns the bytes of each page, and the number of entries */
async function readTail(entry: object): Promise<{ bytes: number[]; entries: number }> {
  const tail = app.app.get(LogTailRepository);
  const connection = app.app.get(Database).people.manager;
  let position = await tail.now(connection, [agent.id]);
  const batch = Array.from({ length: ENTRIES / 6 }, () => ({ level: 'info', ...entry }));
  for (let count = 0; count < 6; count++)
    expect((await agent.runtime.post('/agents/logs', { logs: batch })).status).toBe(200);
  const bytes: number[] = [];
  let entries = 0;
  for (let hasMore = true; hasMore;) {
    const page = await tail.read(connection, { agentIds: [agent.id] }, position, null);
    bytes.push(
      page.items.reduce((sum, { row }) => sum + JSON.stringify([row.message, row.metadata]).length, 0),
    );
    entries += page.items.length;
    position = page.end;
    hasMore = page.hasMore;
  }
  return { bytes, entries };
}

describe('A page of logs that somebody follows', () => {
  it.each([
    ['metadata that PostgreSQL compresses', { message: 'm', metadata: { text: 'x'.repeat(16_000) } }],
    ['metadata of numbers', { message: 'm', metadata: { numbers: Array.from({ length: 90 }, () => 1e308) } }],
    ['messages of control characters', { message: '\u0001'.repeat(4_000) }],
  ])('has 128 KiB at most, and none is left out, when entries have %s', async (_, entry) => {
    const { bytes, entries } = await readTail(entry);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(PAGE_BYTES);
    expect(entries).toBe(ENTRIES);
  });
});

import { jest } from '@jest/globals';
import { Random } from '../../bench/fleet/random.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

/** Hundreds of requests, many of which are cut off. */
jest.setTimeout(90_000);

const BATCHES = 40;
const LINES = 3;
/** Number of copies of each batch: with a lost reply, in any order, on any instance. */
const COPIES = 4;
const START = Date.parse('2026-01-31T00:00:00Z');

let apps: TestApp[];
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  const first = await startTestApp({
    settings: { LOG_RETENTION_DAYS: '3650', METRIC_RETENTION_DAYS: '3650' },
  });
  apps = [first, await startTestApp({ database: first.database })];
  person = await registerPerson(first);
  agent = await createAgent(first, person);
});

afterAll(async () => {
  await expectCleanAudit(apps[0]!.database);
  await apps[1]!.close();
  await apps[0]!.close();
});

const timeOf = (line: number) => new Date(START + line * 1_000).toISOString();

const batchOf = {
  logs: (batch: number) => ({
    logs: Array.from({ length: LINES }, (_, index) => {
      const line = batch * LINES + index;
      return { level: 'info', message: `line ${line}`, timestamp: timeOf(line) };
    }),
  }),
  metrics: (batch: number) => ({
    metrics: Array.from({ length: LINES }, (_, index) => {
      const line = batch * LINES + index;
      return { requests_processed: line, timestamp: timeOf(line) };
    }),
  }),
};
const lineOf = {
  logs: ({ message }: { message: string }) => Number(message.split(' ')[1]),
  metrics: ({ requests_processed: line }: { requests_processed: number }) => line,
};

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

describe('A network that duplicates and reorders', () => {
  it.each(['logs', 'metrics'] as const)(
    'does not change what is stored: %s of each batch are stored once, in the order of their times',
    async (kind) => {
      const random = new Random(kind.length);
      const send = (batch: number, signal?: AbortSignal) =>
        random
          .pick(apps)
          .api.as(agent.key)
          .post(`/agents/${kind}`, batchOf[kind](batch), {
            headers: { 'Idempotency-Key': `${kind} ${batch}` },
            signal,
          });
      const numbers = Array.from({ length: BATCHES }, (_, batch) => batch);
      const copies = shuffled(
        numbers.flatMap((batch) => Array.from({ length: COPIES }, () => batch)),
        random,
      );
      const outcomes = await Promise.all(
        copies.map(async (batch) => {
          // Cut off on its way: it may arrive or not.
          const cut = new AbortController();
          const isLost = random.chance(0.4);
          const reply = send(batch, cut.signal);
          if (isLost) setImmediate(() => cut.abort());
          return reply.then(
            ({ status }) => status,
            () => 'lost' as const,
          );
        }),
      );
      expect(outcomes.filter((outcome) => outcome !== 200 && outcome !== 'lost')).toEqual([]);
      expect(outcomes).toContain('lost');
      // Senders without a reply repeat the request until there is one.
      for (const { status, body } of await Promise.all(
        shuffled(numbers, random).map((batch) => send(batch)),
      )) {
        expect([status, body.accepted]).toEqual([200, LINES]);
      }
      const { body } = await person.api.get(`/agents/${agent.id}/${kind}?limit=500`);
      expect(body.map(lineOf[kind])).toEqual(
        Array.from({ length: BATCHES * LINES }, (_, line) => BATCHES * LINES - 1 - line),
      );
    },
  );
});

import { PAGE_BYTES } from '../src/budget/list-limits.js';
import type { TestAgent } from './builders/agents.js';
import { type Person, registerOperator } from './builders/people.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import type { ApiReply } from './harness/api-client.js';
import { stageDeployment } from './harness/deployment-states.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Pages of lists whose entries become six times as long in JSON, where control characters are escaped. */

const COPIES = 120;
/** SQL for a text of 8 KiB in storage and 48 KiB in a reply. */
const LONG = String.raw`repeat(E'\x01', 8192)`;

let app: TestApp;
let person: Person;
let agent: TestAgent;
let deployment: string;
let webhook: string;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  person = await registerOperator(app);
  ({ agent, id: deployment } = await stageDeployment(app, person, 'failed'));
  webhook = (await createWebhook(person, 'http://127.0.0.1:9/', { events: ['agent.deleted'] })).id;
  await agent.runtime.post('/agents/logs', { level: 'info', message: 'the first one' });
  await app.database.query('UPDATE agent_logs SET deployment_id = $1', [deployment]);
  await app.database.query(
    `INSERT INTO webhook_deliveries (webhook_id, event, payload, status) VALUES ($1, 'agent.deleted', '{}', 'failed')`,
    [webhook],
  );
  await app.database.query(`INSERT INTO leads (id, email) VALUES (make_uuidv7(), 'ada@example.com')`);
  await copyRow('agent_logs', `'id', make_uuidv7(), 'message', ${LONG}`);
  await copyRow('webhook_deliveries', `'id', make_uuidv7(), 'payload', ${LONG}`);
  await copyRow('leads', `'id', make_uuidv7(), 'message', ${LONG}`);
  await copyRow('commands', `'id', make_uuidv7(), 'sequence', copied.sequence + n, 'error', ${LONG}`);
  await copyRow(
    'deployment_events',
    `'id', make_uuidv7(), 'sequence', copied.sequence + n, 'position', copied.position + n, 'error_message', ${LONG}`,
  );
  await app.database.query('UPDATE deployments SET last_sequence = last_sequence + $1', [COPIES]);
  await copyRow('deployments', `'id', make_uuidv7(), 'error_message', ${LONG}`);
});

afterAll(() => app.close());

/** Copies the latest row of a table. @param changes arguments of `jsonb_build_object`; `n` counts the copies, `copied` is the row */
async function copyRow(table: string, changes: string): Promise<void> {
  await app.database.query(
    `INSERT INTO ${table}
     SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(copied) || jsonb_build_object(${changes}))).*
     FROM (SELECT * FROM ${table} ORDER BY id DESC LIMIT 1) AS copied, generate_series(1, ${COPIES}) AS n`,
  );
}

interface Entry {
  readonly id: string;
  readonly user_sequence?: number;
}

/** Reads every entry of a list, by `Link`, and the bytes of each page. */
async function readAll(first: string): Promise<{ entries: Entry[]; bytes: number[] }> {
  const entries: Entry[] = [];
  const bytes: number[] = [];
  let next: string | undefined = first;
  while (next !== undefined) {
    const { status, headers, body }: ApiReply<Entry[] | { items: Entry[] }> = await person.api.get(next);
    expect([next, status]).toEqual([next, 200]);
    entries.push(...(Array.isArray(body) ? body : body.items));
    bytes.push(Buffer.byteLength(JSON.stringify(body)));
    next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  return { entries, bytes };
}

const storedIds = async (table: string, order: string) =>
  (await app.database.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY ${order}`)).map(({ id }) => id);

describe('A page', () => {
  const lists: [of: string, path: () => string, table: string, order: string][] = [
    ['a history', () => `/deployments/${deployment}/events`, 'deployment_events', 'sequence DESC'],
    ['the feed', () => '/events', 'deployment_events', 'user_sequence'],
    ['deployments', () => '/deployments', 'deployments', 'id DESC'],
    ["an agent's logs", () => `/agents/${agent.id}/logs`, 'agent_logs', '"timestamp" DESC, id DESC'],
    [
      "a deployment's logs",
      () => `/deployments/${deployment}/logs`,
      'agent_logs',
      '"timestamp" DESC, id DESC',
    ],
    ['all logs', () => '/logs', 'agent_logs', '"timestamp" DESC, id DESC'],
    ['deliveries', () => `/webhooks/${webhook}/deliveries`, 'webhook_deliveries', 'id DESC'],
    ['commands', () => `/deployments/${deployment}/commands`, 'commands', 'sequence DESC'],
    ['leads', () => '/leads', 'leads', 'id DESC'],
  ];

  describe.each(lists)('of %s', (_, path, table, order) => {
    it.each(['', '?limit=100'])(
      'never exceeds 2 MiB in its sent form, and is complete: %j',
      async (query) => {
        const { entries, bytes } = await readAll(`${path()}${query}`);
        expect(Math.max(...bytes)).toBeLessThanOrEqual(PAGE_BYTES);
        // The page is also nearly full: each entry takes 48 KiB.
        expect(bytes[0]).toBeGreaterThan(PAGE_BYTES - 96 * 1024);
        expect(entries.map(({ id }) => id)).toEqual(await storedIds(table, order));
      },
    );
  });
});

describe('A live stream of large events', () => {
  it.each([
    ["a user's", () => '/events/stream'],
    ["a deployment's", () => `/deployments/${deployment}/events/stream`],
  ])('continues after a page that was cut by size: %s', async (_, path) => {
    const stream = await EventStream.open(app.url, path(), {
      credential: person.accessToken,
      headers: { 'last-event-id': '0' },
    });
    await stream.has(2 + COPIES);
    stream.close();
    const numbers = Array.from({ length: 2 + COPIES }, (_event, index) => String(index + 1));
    expect(stream.events.map(({ id }) => id)).toEqual(numbers);
  });
});

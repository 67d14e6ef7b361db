import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch as fetchWith } from 'undici';
import { jest } from '@jest/globals';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

/** Hundreds of agents on a machine with other work to do. */
jest.setTimeout(180_000);

const FLEET = 300;
/** Maximum number of refusals of a start; agents obey their Retry-After. */
const PATIENCE = 5;

let app: TestApp;
let person: Person;
let bystander: TestAgent;
let connections: Agent;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  bystander = await createAgent(app, person);
  connections = new Agent({ connections: FLEET });
});

afterAll(async () => {
  await connections.destroy();
  await expectCleanAudit(app.database);
  await app.close();
});

async function send(credential: string, path: string, body: object, headers: Record<string, string> = {}) {
  const reply = await fetchWith(`${app.url}${path}`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    dispatcher: connections,
  });
  await reply.text();
  return { status: reply.status, retryAfter: Number(reply.headers.get('retry-after')) };
}

interface Start {
  readonly statuses: number[];
}

/** Starts like `svc run`: with an `Idempotency-Key`, the same one until it is accepted, and later after a refusal. */
async function start({ key }: TestAgent, index: number): Promise<Start> {
  const statuses: number[] = [];
  while (statuses.length < PATIENCE) {
    const body = { version: '1.0.0', hostname: `host-${index}` };
    const { status, retryAfter } = await send(key, '/agents/register', body, {
      'idempotency-key': `start of ${index}`,
    });
    statuses.push(status);
    if (status !== 503 && status !== 409) break;
    await delay(retryAfter * 1_000);
  }
  return { statuses };
}

/** Number of replies by status. */
function countsOf(statuses: readonly number[]): Record<number, number> {
  return Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
  );
}

describe('A fleet whose agents all register at the same moment with an Idempotency-Key each', () => {
  it('is registered completely, while the heartbeats of other agents are answered', async () => {
    const fleet: TestAgent[] = [];
    while (fleet.length < FLEET) {
      const some = Array.from({ length: 10 }, () => createAgent(app, person));
      fleet.push(...(await Promise.all(some)));
    }
    let isOver = false;
    const beside: number[] = [];
    const beats = (async () => {
      while (!isOver) beside.push((await send(bystander.key, '/agents/heartbeat', {})).status);
    })();
    try {
      const starts = await Promise.all(fleet.map(start));
      expect(countsOf(starts.map(({ statuses }) => statuses.at(-1)!))).toEqual({ 200: FLEET });
      // All refusals are 503 with a Retry-After.
      const refusals = new Set(starts.flatMap(({ statuses }) => statuses.slice(0, -1)));
      expect([...refusals].filter((status) => status !== 503)).toEqual([]);
    } finally {
      isOver = true;
      await beats;
    }
    expect(Object.keys(countsOf(beside))).toEqual(['200']);
    const afterwards = await Promise.all(
      fleet.map(({ key }) => send(key, '/agents/heartbeat', { status: 'running' })),
    );
    expect(countsOf(afterwards.map(({ status }) => status))).toEqual({ 200: FLEET });
    const [row] = await app.database.query(
      `SELECT count(*)::int AS agents, count(DISTINCT hostname)::int AS hosts,
         count(*) FILTER (WHERE status = 'running')::int AS running
       FROM agents WHERE id = ANY ($1)`,
      [fleet.map(({ id }) => id)],
    );
    expect(row).toEqual({ agents: FLEET, hosts: FLEET, running: FLEET });
  });
});

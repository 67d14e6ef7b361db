import { Agent, fetch as fetchWith } from 'undici';
import { jest } from '@jest/globals';
import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { waitingForLocks, whileHeld } from '../harness/held-lock.js';
import { rawRequest } from '../harness/raw-request.js';
import { until } from '../harness/until.js';
import { Instances } from './instances.js';

/** Agents are created one by one, which takes long on a busy machine. */
jest.setTimeout(120_000);

const AGENTS = 25;
/** The maximum for one agent. */
const POLLS_OF_AN_AGENT = 8;
const POLLS = AGENTS * POLLS_OF_AN_AGENT;
/** Number of statements that hold a connection each, of the people's eighteen. */
const STUCK = 10;
const UNDER_WAY = 50;

let instances: Instances;
let person: Person;
/** A connection for each request, as from separate clients. */
let connections: Agent;
let answered: number;

beforeEach(async () => {
  instances = await Instances.start(1, { DRAIN_TIMEOUT_SECONDS: '60', DATABASE_POOL_SIZE: '60' });
  person = await registerPerson(instances.app());
  connections = new Agent({ connections: POLLS + UNDER_WAY });
  answered = 0;
});

afterEach(async () => {
  await connections.destroy();
  await instances.close();
});

async function send(method: string, path: string, credential?: string, body?: object) {
  const reply = await fetchWith(`${instances.first.url}${path}`, {
    method,
    headers: {
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: body && JSON.stringify(body),
    dispatcher: connections,
  });
  const text = await reply.text();
  answered++;
  return { status: reply.status, body: JSON.parse(text) as unknown };
}

/**
 * Waits until the service has received this many requests, answered or not. A process that ends can't answer requests
 * that are still in the operating system's queue. A new connection is accepted after all earlier ones.
 */
async function untilReceived(count: number): Promise<void> {
  const sent = () =>
    Object.values(connections.stats).reduce((sum, { running }) => sum + (running ?? 0), answered);
  await until(() => sent() >= count);
  for (let round = 0; round < 2; round++) {
    expect((await rawRequest(instances.first.url, { path: '/health' })).status).toBe(200);
  }
}

describe('SIGTERM', () => {
  it('ends the process with exit code 0 after every waiting poll and every request under way was answered', async () => {
    const { first: service, database } = instances;
    const keys: string[] = [];
    while (keys.length < AGENTS) keys.push((await createAgent(instances.app(), person)).key);
    const polls = keys.flatMap((key) =>
      Array.from({ length: POLLS_OF_AN_AGENT }, () => send('GET', '/agents/commands?wait=60', key)),
    );
    await untilReceived(POLLS);
    await whileHeld(database, 'LOCK TABLE leads IN ACCESS EXCLUSIVE MODE', async (release) => {
      const stuck = Array.from({ length: STUCK }, () =>
        send('POST', '/leads', undefined, { email: 'someone@example.com' }),
      );
      await until(async () => (await waitingForLocks(database)) >= STUCK);
      const writes = Array.from({ length: UNDER_WAY - STUCK }, () =>
        send('POST', '/agents', person.accessToken, { name: 'made in the end' }),
      );
      await untilReceived(POLLS + UNDER_WAY);
      const ended = service.end('SIGTERM');
      const answers = await Promise.all(polls);
      expect(answers).toEqual(answers.map(() => ({ status: 200, body: { commands: [] } })));
      expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(writes.map(() => 201));
      await release();
      expect((await Promise.all(stuck)).map(({ status }) => status)).toEqual(stuck.map(() => 201));
      expect(await ended).toBe(0);
    });
    const rows = await database.query(
      `SELECT (SELECT count(*)::int FROM leads) AS leads,
         (SELECT count(*)::int FROM agents WHERE name = 'made in the end') AS agents`,
    );
    expect(rows).toEqual([{ leads: STUCK, agents: UNDER_WAY - STUCK }]);
  });
});

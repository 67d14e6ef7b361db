import { jest } from '@jest/globals';
import { Client, type QueryResultRow } from 'pg';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import type { ApiReply } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import type { TestDatabase } from '../harness/test-database.js';
import { prepareTemplate, Stage } from './embedded-postgres-stage.js';
import { Instances } from './instances.js';
import { Traffic } from './traffic.js';

/** Each test starts a PostgreSQL and a service, which takes a busy machine a minute. */
jest.setTimeout(180_000);

let template: Stage;
let stage: Stage;
let instances: Instances;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  template = await prepareTemplate();
});

afterAll(() => template.clear());

beforeEach(async () => {
  stage = new Stage(template);
  const { connection } = await stage.start();
  const database: TestDatabase = {
    target: connection,
    // a connection for each statement: none lives through what happens here
    async query<Row extends QueryResultRow>(statement: string, parameters: unknown[] = []) {
      const client = new Client(connection);
      await client.connect();
      try {
        return (await client.query<Row>(statement, parameters)).rows;
      } finally {
        await client.end();
      }
    },
    drop: () => Promise.resolve(),
  };
  instances = await Instances.start(1, {}, database);
  person = await registerPerson(instances.app());
  agent = await createAgent(instances.app(), person);
});

afterEach(async () => {
  await instances.close();
  await stage.clear();
});

/** What was answered with success, by kind. */
const acknowledged = new Map<string, string[]>();

const noted =
  (kind: string, name: (count: number) => string, send: (name: string) => Promise<ApiReply<any>>) =>
  async () => {
    const list = acknowledged.get(kind)!;
    const own = name(list.length);
    const reply = await send(own);
    if (reply.status < 300) list.push(kind === 'deployments' ? reply.body.id : own);
    return reply;
  };

/** Writes of every kind, each under a name of its own. */
function writes(): Record<string, () => Promise<ApiReply<any>>> {
  let number = 0;
  const unique = (kind: string) => () => `${kind} ${++number}`;
  for (const kind of ['agents', 'keyed agents', 'deployments', 'logs', 'keyed logs'])
    acknowledged.set(kind, []);
  const log = (message: string, headers?: Record<string, string>) =>
    agent.runtime.post('/agents/logs', { level: 'info', message }, { headers });
  return {
    agents: noted('agents', unique('plain'), (name) => person.api.post('/agents', { name })),
    'keyed agents': noted('keyed agents', unique('keyed'), (name) =>
      person.api.post('/agents', { name }, { headers: { 'Idempotency-Key': name } }),
    ),
    deployments: noted('deployments', unique('deployment'), () =>
      person.api.post(`/agents/${agent.id}/deploy`),
    ),
    logs: noted('logs', unique('line'), (message) => log(message)),
    'keyed logs': noted('keyed logs', unique('keyed line'), (message) =>
      log(message, { 'Idempotency-Key': message }),
    ),
    heartbeats: () => agent.runtime.post('/agents/heartbeat', {}),
  };
}

async function column(statement: string): Promise<string[]> {
  return (await instances.database.query<{ name: string }>(statement)).map(({ name }) => name);
}

describe('PostgreSQL that is restarted under load', () => {
  it.each<[string, NodeJS.Signals]>([
    ['fast', 'SIGINT'],
    ['at once, as after a crash', 'SIGQUIT'],
  ])(
    '%s loses nothing that was acknowledged, loses nobody, and needs no restart of the service',
    async (_, signal) => {
      const traffic = new Traffic(writes());
      try {
        await until(() => traffic.hasSeen(200));
        const before = stage.runningPid();
        process.kill(before, signal);
        await until(() => ![undefined, before].includes(stage.pid()));
        await until(async () => (await instances.first.api.get('/ready')).status === 200);
        traffic.forget();
        await until(() => traffic.hasSeen(200));
      } finally {
        await traffic.end();
      }
      // All else was a 503 with its Retry-After: the traffic has looked at each.
      expect(traffic.failures).toEqual([]);
      expect(instances.first.process.exitCode).toBeNull();

      const agents = await column('SELECT name FROM agents');
      const lines = await column('SELECT message AS name FROM agent_logs');
      const stored: Record<string, string[]> = {
        agents,
        'keyed agents': agents,
        deployments: await column('SELECT id AS name FROM deployments'),
        logs: lines,
        'keyed logs': lines,
      };
      for (const [kind, names] of acknowledged) {
        const there = new Set(stored[kind]);
        expect([kind, names.filter((name) => !there.has(name))]).toEqual([kind, []]);
        expect([kind, names.length > 0]).toEqual([kind, true]);
      }
      // Under a key nothing is there twice, whether it was answered or not.
      for (const names of [agents, lines].map((all) => all.filter((name) => name.startsWith('keyed')))) {
        expect(new Set(names).size).toBe(names.length);
      }
      expect(
        await column(`SELECT event_type AS name FROM deployment_events WHERE actor = 'monitor'`),
      ).toEqual([]);
      expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('running');
    },
  );
});

import { jest } from '@jest/globals';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import type { ApiReply } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import { Stage } from './embedded-postgres-stage.js';
import { Instances } from './instances.js';
import { Traffic } from './traffic.js';

/** A PostgreSQL and a service start first, which takes a busy machine a minute. */
jest.setTimeout(180_000);

/** Pause of a client between two requests. There are two clients for each kind. */
const PAUSE_MS = 50;

let stage: Stage;
let instances: Instances;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  stage = new Stage();
  await stage.start();
  instances = await Instances.start(
    1,
    { RATE_LIMIT_LOGIN_PER_ACCOUNT: '100000', RATE_LIMIT_LOGIN_PER_ADDRESS: '100000' },
    { ...stage.database, drop: () => Promise.resolve() },
  );
  person = await registerPerson(instances.app());
  agent = await createAgent(instances.app(), person);
});

afterAll(async () => {
  await instances.close();
  await stage.clear();
});

/** Names of the resources whose creation was acknowledged, by kind. */
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

let number = 0;

/** Requests of every kind, each write with its own name. */
function requests(): Record<string, () => Promise<ApiReply<any>>> {
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
    metrics: () => agent.runtime.post('/agents/metrics', { cpu_usage: 1 }),
    status: () => agent.runtime.get(`/agents/${agent.id}/status`),
    lists: () => person.api.get('/agents'),
    details: () => person.api.get(`/agents/${agent.id}`),
    logins: () => instances.first.api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD }),
  };
}

async function column(statement: string): Promise<string[]> {
  return (await instances.database.query<{ name: string }>(statement)).map(({ name }) => name);
}

describe('PostgreSQL that is restarted under load', () => {
  it.each<[string, NodeJS.Signals]>([
    ['fast', 'SIGINT'],
    ['at once', 'SIGQUIT'],
    ['after a crash', 'SIGKILL'],
  ])(
    '%s loses no acknowledged data, marks no agent as lost, and needs no restart of the service',
    async (_, signal) => {
      const traffic = new Traffic(requests(), PAUSE_MS);
      try {
        await until(() => traffic.isServed);
        const before = stage.runningPid();
        process.kill(before, signal);
        await until(() => ![undefined, before].includes(stage.pid()));
        await until(async () => (await instances.first.api.get('/ready')).status === 200);
        traffic.forget();
        await until(() => traffic.isServed);
      } finally {
        await traffic.end();
      }
      // All other replies were 503 with a Retry-After, which the traffic checks.
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
      // With a key nothing exists twice, whether it was acknowledged or not.
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

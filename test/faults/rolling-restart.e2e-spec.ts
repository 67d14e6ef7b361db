import { jest } from '@jest/globals';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ApiClient } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import { Balancer } from './balancer.js';
import { Instances } from './instances.js';
import { Traffic } from './traffic.js';

/** Six processes are started, and a busy machine takes half a minute for one. */
jest.setTimeout(300_000);

/** The restarts take many seconds. */
const PAUSE_MS = 75;

let instances: Instances;
let balancer: Balancer;
let person: Person;
let agents: TestAgent[];

beforeAll(async () => {
  instances = await Instances.start(3, {
    // Thirty probes of the balancer: a busy machine may miss many of them.
    SHUTDOWN_DELAY_SECONDS: '3',
    DRAIN_TIMEOUT_SECONDS: '60',
  });
  person = await registerPerson(instances.app());
  agents = await Promise.all(Array.from({ length: 3 }, () => createAgent(instances.app(), person)));
  balancer = await Balancer.start(() => instances.all.map(({ url }) => url));
  await until(() => balancer.readyCount === 3);
});

afterAll(async () => {
  await balancer.close();
  await instances.close();
});

describe('A rolling restart of three instances', () => {
  it('drops no request and no waiting poll', async () => {
    const outside = new ApiClient(balancer.url);
    const [beats, polls, logs] = agents.map(({ key }) => outside.as(key));
    const someone = outside.as(person.accessToken);
    const traffic = new Traffic(
      {
        heartbeats: () => beats!.post('/agents/heartbeat', {}),
        polls: () => polls!.get('/agents/commands?wait=2'),
        logs: () => logs!.post('/agents/logs', { level: 'info', message: 'hello' }),
        lists: () => someone.get('/agents'),
        creations: () => someone.post('/agents', { name: 'made meanwhile' }),
      },
      PAUSE_MS,
    );
    for (const service of [...instances.all]) {
      expect(await instances.restart(service)).toBe(0);
      await until(() => balancer.readyCount === 3);
      traffic.forget();
      await until(() => traffic.seen.size === 5);
    }
    await traffic.end();
    expect([...traffic.everSeen].filter((status) => status >= 300)).toEqual([]);
    const [row] = await instances.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM agents WHERE name = 'made meanwhile'`,
    );
    expect(row!.count).toBe(traffic.created.length);
  });
});

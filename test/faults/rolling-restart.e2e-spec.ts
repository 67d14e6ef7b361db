import { jest } from '@jest/globals';
import { registerPerson } from '../builders/people.js';
import { ApiClient } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import { Balancer } from './balancer.js';
import { Instances } from './instances.js';
import { dailyRequests, Traffic } from './traffic.js';

/** Four processes are started, and a busy machine takes half a minute for one. */
jest.setTimeout(300_000);

/** The restarts take many seconds, in which ten clients send. */
const PAUSE_MS = 150;
/** Each instance gets half of all requests. */
const INSTANCES = 2;

let instances: Instances;
let balancer: Balancer;

beforeAll(async () => {
  instances = await Instances.start(INSTANCES, {
    // Thirty probes of the balancer: a busy machine may miss many of them.
    SHUTDOWN_DELAY_SECONDS: '3',
    DRAIN_TIMEOUT_SECONDS: '60',
  });
  balancer = await Balancer.start(() => instances.all.map(({ url }) => url));
  await until(() => balancer.readyCount === INSTANCES);
});

afterAll(async () => {
  await balancer.close();
  await instances.close();
});

describe('A rolling restart', () => {
  it('drops no request and no waiting poll', async () => {
    const outside = { api: new ApiClient(balancer.url) };
    const person = await registerPerson(outside);
    const traffic = new Traffic(await dailyRequests(outside, person), PAUSE_MS);
    for (const service of [...instances.all]) {
      expect(await instances.restart(service)).toBe(0);
      await until(() => balancer.readyCount === INSTANCES);
      traffic.forget();
      await until(() => traffic.isComplete);
    }
    await traffic.end();
    expect([...traffic.unsuccessful]).toEqual([]);
    const [row] = await instances.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM agents WHERE name = 'made meanwhile'`,
    );
    expect(row!.count).toBe(traffic.created.length);
  });
});

import { AgentRuntime } from '@agent-control-plane/client/runtime';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { Gateway, type GatewayCall } from './gateway.js';

/** Behaviour of a runtime while the service is overloaded: it waits for each `Retry-After`. */
let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { HEARTBEAT_INTERVAL_SECONDS: '1' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

interface Stage {
  readonly agent: TestAgent;
  readonly gateway: Gateway;
  readonly runtime: AgentRuntime;
}

/** A test with a separate agent: all of them wait for the end of a `Retry-After`, so they run concurrently. */
const onStage = (test: (stage: Stage) => Promise<void>) => async () => {
  const agent = await createAgent(app, person);
  const gateway = await Gateway.open(app.url);
  const runtime = new AgentRuntime({
    baseUrl: gateway.url,
    key: agent.key,
    apply: async ({ deploymentId, replicas }) => {
      runtime.report(deploymentId, { readyReplicas: replicas });
    },
  });
  try {
    await test({ agent, gateway, runtime });
  } finally {
    await runtime.stop(0);
    await gateway.down();
  }
};

const refusal = (status: number) => ({ status, headers: { 'retry-after': '1' } });
const isOf = (route: string) => (call: GatewayCall) => call.path.split('?')[0]!.endsWith(route);

/** The milliseconds from each refused call of a route to its next call. */
function pausesAfterRefusals(gateway: Gateway, route: string): number[] {
  const calls = gateway.calls.filter(isOf(route));
  return calls.flatMap(({ at, status }, index) => {
    const next = calls[index + 1];
    return next && (status === 503 || status === 429) ? [next.at - at] : [];
  });
}

it.concurrent.each([
  ['register', 503],
  ['heartbeat', 503],
  ['heartbeat', 429],
  ['commands', 503],
  ['acknowledge', 429],
  ['logs', 503],
  ['metrics', 429],
])('The runtime calls %s again only after the Retry-After of a %i', (route, status) =>
  onStage(async ({ agent, gateway, runtime }) => {
    let refused = 0;
    gateway.treat = (call) => (isOf(`/${route}`)(call) && (refused += 1) <= 2 ? refusal(status) : 'pass');
    const id = await deploy(person, agent);
    void runtime.run();
    runtime.log({ level: 'info', message: 'one' });
    runtime.metric({ cpu_usage: 1 });
    // each change asks for a heartbeat at once
    const news = setInterval(() => runtime.report(id, { readyReplicas: Date.now() % 2 }), 20);
    try {
      await until(() => pausesAfterRefusals(gateway, `/${route}`).length === 2);
    } finally {
      clearInterval(news);
    }
    for (const pause of pausesAfterRefusals(gateway, `/${route}`)) expect(pause).toBeGreaterThanOrEqual(990);
  })(),
);

it.concurrent(
  'A refused heartbeat is repeated once for each Retry-After, even if other calls succeed and its content changes',
  onStage(async ({ agent, gateway, runtime }) => {
    gateway.treat = (call) => (isOf('/heartbeat')(call) ? refusal(503) : 'pass');
    const id = await deploy(person, agent);
    void runtime.run();
    const news = setInterval(() => {
      runtime.report(id, { readyReplicas: Date.now() % 2 });
      runtime.log({ level: 'info', message: 'the service takes this' });
    }, 20);
    try {
      await until(() => gateway.of('POST /agents/heartbeat').length >= 3);
      await until(() => gateway.of('POST /agents/logs').length >= 5);
    } finally {
      clearInterval(news);
    }
    for (const pause of pausesAfterRefusals(gateway, '/heartbeat')) expect(pause).toBeGreaterThanOrEqual(990);
    expect(gateway.of('POST /agents/register')).toHaveLength(1);
  }),
);

it.concurrent(
  'The last heartbeat is sent after the Retry-After of a refused one',
  onStage(async ({ agent, gateway, runtime }) => {
    const id = await deploy(person, agent);
    void runtime.run();
    await until(async () => (await person.api.get(`/deployments/${id}`)).body.status === 'ready');
    let refused = 0;
    gateway.treat = (call) => (isOf('/heartbeat')(call) && (refused += 1) === 1 ? refusal(503) : 'pass');
    await until(() => refusedHeartbeats(gateway) > 0);
    // A later call was answered, so the refusal has arrived, too, and the stop does not break it off.
    runtime.log({ level: 'info', message: 'after the refusal' });
    await until(() => gateway.of('POST /agents/logs').some(({ status }) => status === 200));
    await runtime.stop();
    const last = gateway.of('POST /agents/heartbeat').at(-1)!;
    expect(last).toMatchObject({ status: 200, body: { status: 'stopped' } });
    for (const pause of pausesAfterRefusals(gateway, '/heartbeat')) expect(pause).toBeGreaterThanOrEqual(990);
    expect((await person.api.get(`/deployments/${id}`)).body).toMatchObject({ ready_replicas: 0 });
  }),
);

function refusedHeartbeats(gateway: Gateway): number {
  return gateway.of('POST /agents/heartbeat').filter(({ status }) => status === 503).length;
}

describe('A runtime behind a proxy that ends silent connections', () => {
  it(
    'waits less with each poll that the proxy ends, but never less than 10 s',
    onStage(async ({ gateway, runtime }) => {
      const gone = { status: 504, body: 'Gateway Timeout', headers: { 'content-type': 'text/plain' } };
      const ends = [{ afterMs: 1_100, then: gone }, { afterMs: 1_100, then: 'hang up' } as const];
      gateway.treat = (call) => (isOf('/commands')(call) && ends.shift()) || 'pass';
      void runtime.run();
      const waits = () =>
        gateway
          .of('GET /agents/commands')
          .map(({ path }) => new URL(path, 'http://-').searchParams.get('wait'));
      await until(() => waits().length >= 3);
      expect(waits()).toEqual(['25', '12', '10']);
    }),
  );

  it(
    'waits as long as before after an early 502, which means an outage',
    onStage(async ({ gateway, runtime }) => {
      const refused = [502, 502].map((status) => ({ status }));
      gateway.treat = (call) => (isOf('/commands')(call) && refused.shift()) || 'pass';
      void runtime.run();
      await until(() => gateway.of('GET /agents/commands').length >= 3);
      expect(gateway.of('GET /agents/commands').every(({ path }) => path.includes('wait=25'))).toBe(true);
    }),
  );
});

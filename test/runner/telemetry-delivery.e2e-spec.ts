import { AgentRuntime, type RuntimeEvent } from '@agent-control-plane/client/runtime';
import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { Gateway, type GatewayCall } from './gateway.js';

/** Delivery of an agent's logs and metrics through a bad network. The agent runs in this process. */
let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

const KINDS = ['logs', 'metrics'] as const;
type Kind = (typeof KINDS)[number];

interface Stage {
  readonly gateway: Gateway;
  readonly runtime: AgentRuntime;
  readonly events: RuntimeEvent[];
  stored(kind: Kind): Promise<any[]>;
  sent(kind: Kind): GatewayCall[];
  tell(kind: Kind, details?: Record<string, number>): void;
}

/** A test with an agent of its own: all of them wait for pauses, and do so at the same time. */
function itOnStage(title: string, test: (on: Stage) => Promise<void>): void {
  it.concurrent(title, async () => {
    const agent = await createAgent(app, person);
    const gateway = await Gateway.open(app.url);
    const events: RuntimeEvent[] = [];
    const runtime = new AgentRuntime({
      baseUrl: gateway.url,
      key: agent.key,
      apply: async () => undefined,
      onEvent: (event) => events.push(event),
    });
    void runtime.run();
    try {
      await test({
        gateway,
        runtime,
        events,
        stored: async (kind) => (await person.api.get(`/agents/${agent.id}/${kind}?limit=500`)).body,
        sent: (kind) => gateway.of(`POST /agents/${kind}`),
        tell(kind, details = {}) {
          if (kind === 'logs') runtime.log({ level: 'info', message: 'told', metadata: details });
          else runtime.metric({ cpu_usage: 1, custom: details });
        },
      });
    } finally {
      await runtime.stop(0);
      await gateway.down();
    }
  });
}

describe.each(KINDS)('A batch of %s', (kind) => {
  itOnStage(
    'is sent again with the same Idempotency-Key after a lost reply, and is stored once',
    async ({ gateway, stored, sent, tell }) => {
      let lost = 0;
      gateway.treat = ({ path }) => (path.endsWith(`/${kind}`) && (lost += 1) <= 2 ? 'lose' : 'pass');
      tell(kind);
      await until(() => sent(kind).length === 3 && sent(kind)[2]!.status === 200);
      const [{ text, idempotencyKey } = {}] = sent(kind);
      expect(idempotencyKey).toMatch(/^[\da-f-]{36}$/);
      expect(sent(kind)).toMatchObject(Array(3).fill({ text, idempotencyKey, status: 200 }));
      expect(await stored(kind)).toHaveLength(1);
    },
  );

  itOnStage(
    'is repeated unchanged, even if its sender has changed an object of it since',
    async ({ gateway, stored, sent, tell }) => {
      const details = { tries: 0 };
      gateway.treat = ({ path }) =>
        path.endsWith(`/${kind}`) && (details.tries += 1) === 1 ? 'lose' : 'pass';
      tell(kind, details);
      await until(() => sent(kind)[1]?.status === 200);
      const [row, ...others] = await stored(kind);
      expect([row.metadata ?? row.custom, others]).toEqual([{ tries: 0 }, []]);
    },
  );

  itOnStage('has its own Idempotency-Key', async ({ stored, sent, tell }) => {
    tell(kind);
    await until(() => sent(kind).length === 1);
    tell(kind);
    await until(() => sent(kind)[1]?.status === 200);
    expect(sent(kind)[0]!.idempotencyKey).not.toBe(sent(kind)[1]!.idempotencyKey);
    expect(await stored(kind)).toHaveLength(2);
  });
});

itOnStage(
  'An entry that the service refuses is left out, and the other entries are stored',
  async ({ runtime, events, stored, sent }) => {
    runtime.log({ level: 'info', message: 'before' });
    runtime.log({ level: 'loud' as never, message: 'refused' });
    runtime.log({ level: 'info', message: 'after' });
    const isNotice = ({ message }: any) => message.startsWith('One log line is missing');
    await until(async () => (await stored('logs')).some(isNotice));
    const others = (await stored('logs')).filter((it) => !isNotice(it));
    expect(others.map(({ message }) => message).sort()).toEqual(['after', 'before']);
    expect(events.filter(({ event }) => event === 'entry_refused')).toHaveLength(1);
    // The rest of a refused batch is another batch, with another key.
    expect(new Set(sent('logs').map(({ idempotencyKey }) => idempotencyKey)).size).toBe(sent('logs').length);
  },
);

itOnStage(
  'An entry that the service refuses without its index is left out alone, and a log line reports it',
  async ({ runtime, stored, events }) => {
    const deep: any = {};
    for (let level = 0, at = deep; level < 250; level += 1) at = at.in = {};
    for (const message of ['one', 'two', 'three']) runtime.log({ level: 'info', message });
    runtime.log({ level: 'info', message: 'deep', metadata: deep });
    runtime.log({ level: 'info', message: 'four' });
    const isNotice = ({ message }: any) =>
      /^One log line is missing: the service does not take it \(.*nested/.test(message);
    await until(async () => (await stored('logs')).some(isNotice));
    const others = (await stored('logs')).filter((it) => !isNotice(it)).map(({ message }) => message);
    expect(others.sort()).toEqual(['four', 'one', 'three', 'two']);
    expect(events.filter(({ event }) => event === 'entry_refused')).toHaveLength(1);
  },
);

itOnStage(
  'A number that JSON can not express is left out of a metric, and reported once',
  async ({ runtime, stored, events }) => {
    for (const cpu of [1, 2])
      runtime.metric({ cpu_usage: cpu, memory_usage: NaN, custom: { ratio: Infinity, queue: 7 } });
    runtime.metric({ cpu_usage: 3, custom: { big: 1n } });
    await until(async () => (await stored('metrics')).length === 2);
    const [metric] = await stored('metrics');
    expect([metric.memory_usage, metric.custom]).toEqual([null, { queue: 7 }]);
    const told = events.filter(({ event }) => event === 'value_left_out');
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringContaining('memory_usage, custom.ratio left out'),
    ]);
  },
);

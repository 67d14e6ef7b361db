import { AgentRuntime, type RuntimeEvent } from '@agent-control-plane/client/runtime';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { Gateway } from './gateway.js';

/** What an agent in this process tells, on its way through a network that can be bad. */
let app: TestApp;
let person: Person;
let agent: TestAgent;
let gateway: Gateway;
let runtime: AgentRuntime;
let events: RuntimeEvent[];

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

beforeEach(async () => {
  agent = await createAgent(app, person);
  gateway = await Gateway.open(app.url);
  events = [];
  runtime = new AgentRuntime({
    baseUrl: gateway.url,
    key: agent.key,
    apply: async () => undefined,
    onEvent: (event) => events.push(event),
  });
  void runtime.run();
});

afterEach(async () => {
  await runtime.stop(0);
  await gateway.down();
});

const KINDS = ['logs', 'metrics'] as const;
type Kind = (typeof KINDS)[number];

const stored = async (kind: Kind) =>
  (await person.api.get(`/agents/${agent.id}/${kind}?limit=500`)).body as any[];
const sent = (kind: Kind) => gateway.of(`POST /agents/${kind}`);

function tell(kind: Kind, details: Record<string, number> = {}): void {
  if (kind === 'logs') runtime.log({ level: 'info', message: 'told', metadata: details });
  else runtime.metric({ cpu_usage: 1, custom: details });
}

describe.each(KINDS)('A batch of %s', (kind) => {
  it('whose reply was lost comes again under the same key, and is stored once', async () => {
    let lost = 0;
    gateway.treat = ({ path }) => (path.endsWith(`/${kind}`) && (lost += 1) <= 2 ? 'lose' : 'pass');
    tell(kind);
    await until(() => sent(kind).length === 3 && sent(kind)[2]!.status === 200);
    const [{ text, idempotencyKey } = {}] = sent(kind);
    expect(idempotencyKey).toMatch(/^[\da-f-]{36}$/);
    expect(sent(kind)).toMatchObject(Array(3).fill({ text, idempotencyKey, status: 200 }));
    expect(await stored(kind)).toHaveLength(1);
  });

  it('comes again to the letter, though its sender has changed an object in it since', async () => {
    const details = { tries: 0 };
    gateway.treat = ({ path }) => (path.endsWith(`/${kind}`) && (details.tries += 1) === 1 ? 'lose' : 'pass');
    tell(kind, details);
    await until(() => sent(kind)[1]?.status === 200);
    const [row, ...others] = await stored(kind);
    expect([row.metadata ?? row.custom, others]).toEqual([{ tries: 0 }, []]);
  });

  it('has a key of its own', async () => {
    tell(kind);
    await until(() => sent(kind).length === 1);
    tell(kind);
    await until(() => sent(kind)[1]?.status === 200);
    expect(sent(kind)[0]!.idempotencyKey).not.toBe(sent(kind)[1]!.idempotencyKey);
    expect(await stored(kind)).toHaveLength(2);
  });
});

it('An entry that the service refuses does not hold up the others', async () => {
  runtime.log({ level: 'info', message: 'before' });
  runtime.log({ level: 'loud' as never, message: 'refused' });
  runtime.log({ level: 'info', message: 'after' });
  await until(async () => (await stored('logs')).some(({ message }) => message === 'after'));
  expect((await stored('logs')).map(({ message }) => message).sort()).toEqual(['after', 'before']);
  expect(events.filter(({ event }) => event === 'entry_refused')).toHaveLength(1);
  // What is left is another batch.
  expect(new Set(sent('logs').map(({ idempotencyKey }) => idempotencyKey)).size).toBe(sent('logs').length);
});

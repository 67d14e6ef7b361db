import { report } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { type DeploymentStatus, stageDeployment } from './harness/deployment-states.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

async function deploymentOf(id: string) {
  return (await person.api.get(`/deployments/${id}`)).body;
}

async function eventTypesOf(id: string): Promise<string[]> {
  const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
  return items.map((item: { event_type: string }) => item.event_type);
}

/** Effect of each cause on a deployment in each status, written from the promised lifecycle. */
interface Expectation {
  readonly status: DeploymentStatus;
  readonly event?: string;
  readonly reply?: number;
  readonly message?: string;
}

type Cause =
  | 'scale'
  | 'restart'
  | 'rolling restart'
  | 'stop'
  | 'agent stop'
  | 'delete'
  | 'reports running'
  | 'reports ready'
  | 'reports fewer'
  | 'reports failed'
  | 'acknowledges'
  | 'acknowledges failure';

const unchanged = (status: DeploymentStatus): Expectation => ({ status });
const cannotScale = (status: DeploymentStatus): Expectation => ({
  status,
  reply: 400,
  message: 'Can only scale running deployments',
});
const cannotRestart = (status: DeploymentStatus): Expectation => ({
  status,
  reply: 400,
  message: 'Can only restart stopped or failed deployments',
});

const cannotRoll = (status: DeploymentStatus): Expectation => ({
  status,
  reply: 400,
  message: 'Can only replace the replicas of running deployments',
});

const cannotStop = (status: DeploymentStatus): Expectation => ({
  status,
  reply: 400,
  message: 'Can only stop active deployments',
});

const promised: Record<Cause, Record<DeploymentStatus, Expectation>> = {
  scale: {
    deploying: cannotScale('deploying'),
    running: { status: 'running', event: 'scale', reply: 200 },
    ready: { status: 'ready', event: 'scale', reply: 200 },
    stopped: cannotScale('stopped'),
    failed: cannotScale('failed'),
    killed: cannotScale('killed'),
  },
  restart: {
    deploying: cannotRestart('deploying'),
    running: cannotRestart('running'),
    ready: cannotRestart('ready'),
    stopped: { status: 'deploying', event: 'restart', reply: 200 },
    failed: { status: 'deploying', event: 'restart', reply: 200 },
    killed: cannotRestart('killed'),
  },
  'rolling restart': {
    deploying: cannotRoll('deploying'),
    running: { status: 'running', event: 'restart', reply: 200 },
    ready: { status: 'ready', event: 'restart', reply: 200 },
    stopped: cannotRoll('stopped'),
    failed: cannotRoll('failed'),
    killed: cannotRoll('killed'),
  },
  stop: {
    deploying: { status: 'stopped', event: 'stop', reply: 200 },
    running: { status: 'stopped', event: 'stop', reply: 200 },
    ready: { status: 'stopped', event: 'stop', reply: 200 },
    stopped: cannotStop('stopped'),
    failed: cannotStop('failed'),
    killed: cannotStop('killed'),
  },
  'agent stop': {
    deploying: { status: 'stopped', event: 'stop', reply: 200 },
    running: { status: 'stopped', event: 'stop', reply: 200 },
    ready: { status: 'stopped', event: 'stop', reply: 200 },
    stopped: { status: 'stopped', reply: 200 },
    failed: { status: 'failed', reply: 200 },
    killed: { status: 'killed', reply: 200 },
  },
  delete: {
    deploying: { status: 'killed', event: 'kill', reply: 204 },
    running: { status: 'killed', event: 'kill', reply: 204 },
    ready: { status: 'killed', event: 'kill', reply: 204 },
    stopped: { status: 'killed', event: 'kill', reply: 204 },
    failed: { status: 'killed', event: 'kill', reply: 204 },
    killed: { status: 'killed', reply: 204 },
  },
  'reports running': {
    deploying: { status: 'running', event: 'running' },
    running: unchanged('running'),
    ready: unchanged('ready'),
    stopped: unchanged('stopped'),
    failed: unchanged('failed'),
    killed: unchanged('killed'),
  },
  'reports ready': {
    deploying: { status: 'ready', event: 'ready' },
    running: { status: 'ready', event: 'ready' },
    ready: unchanged('ready'),
    stopped: unchanged('stopped'),
    failed: unchanged('failed'),
    killed: unchanged('killed'),
  },
  'reports fewer': {
    deploying: unchanged('deploying'),
    running: unchanged('running'),
    ready: { status: 'running', event: 'degraded' },
    stopped: unchanged('stopped'),
    failed: unchanged('failed'),
    killed: unchanged('killed'),
  },
  'reports failed': {
    deploying: { status: 'failed', event: 'failed' },
    running: { status: 'failed', event: 'failed' },
    ready: { status: 'failed', event: 'failed' },
    stopped: unchanged('stopped'),
    failed: unchanged('failed'),
    killed: unchanged('killed'),
  },
  // Stops and kills are acknowledged too, without an effect.
  acknowledges: {
    deploying: { status: 'running', event: 'running' },
    running: unchanged('running'),
    ready: unchanged('ready'),
    stopped: unchanged('stopped'),
    failed: unchanged('failed'),
    killed: unchanged('killed'),
  },
  'acknowledges failure': {
    deploying: { status: 'failed', event: 'failed' },
    running: unchanged('running'),
    ready: unchanged('ready'),
    stopped: unchanged('stopped'),
    failed: unchanged('failed'),
    killed: unchanged('killed'),
  },
};

type Staged = Awaited<ReturnType<typeof stageDeployment>>;

async function acknowledgeAll({ agent }: Staged, success: boolean): Promise<void> {
  const { commands } = (await agent.runtime.get('/agents/commands')).body;
  for (const { command_id } of commands) {
    await agent.runtime.post('/agents/commands/acknowledge', {
      command_id,
      success,
      error: success ? null : 'no',
    });
  }
}

const perform: Record<Cause, (staged: Staged) => Promise<{ status: number; body: any } | void>> = {
  scale: ({ id }) => person.api.post(`/deployments/${id}/scale`, { replicas: 3 }),
  restart: ({ id }) => person.api.post(`/deployments/${id}/restart`),
  'rolling restart': ({ id }) => person.api.post(`/deployments/${id}/rolling-restart`),
  stop: ({ id }) => person.api.post(`/deployments/${id}/stop`),
  'agent stop': ({ agent }) => person.api.post(`/agents/${agent.id}/stop`),
  delete: ({ id }) => person.api.delete(`/deployments/${id}`),
  'reports running': ({ agent, id }) => report(agent, id, { status: 'running' }),
  'reports ready': ({ agent, id }) => report(agent, id, { status: 'ready', ready_replicas: 1 }),
  'reports fewer': ({ agent, id }) => report(agent, id, { ready_replicas: 0 }),
  'reports failed': ({ agent, id }) => report(agent, id, { status: 'failed', error_message: 'exit code 2' }),
  acknowledges: (staged) => acknowledgeAll(staged, true),
  'acknowledges failure': (staged) => acknowledgeAll(staged, false),
};

it('DELETE of a killed deployment stops the agent that another deployment had started', async () => {
  const { agent, id } = await stageDeployment(app, person, 'killed');
  await person.api.post(`/agents/${agent.id}/deploy`);
  expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('running');
  expect((await person.api.delete(`/deployments/${id}`)).status).toBe(204);
  expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('stopped');
});

describe('Each cause in each status changes the agent as the lifecycle says', () => {
  const cases = (Object.keys(promised) as Cause[]).flatMap((cause) =>
    (Object.keys(promised[cause]) as DeploymentStatus[]).map((status) => ({ cause, status })),
  );

  it.each(cases)('$cause while $status', async ({ cause, status }) => {
    const expected = promised[cause][status];
    const staged = await stageDeployment(app, person, status);
    const before = await eventTypesOf(staged.id);
    const reply = await perform[cause](staged);
    if (expected.reply) expect(reply!.status).toBe(expected.reply);
    if (expected.message) expect(reply!.body.message).toBe(expected.message);
    expect((await deploymentOf(staged.id)).status).toBe(expected.status);
    expect(await eventTypesOf(staged.id)).toEqual(expected.event ? [expected.event, ...before] : before);
  });
});

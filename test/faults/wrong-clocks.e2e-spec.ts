import { acknowledge, createAgent, deploy, obey, poll, report, type TestAgent } from '../builders/agents.js';
import { registerPerson } from '../builders/people.js';
import { claim, createWorker } from '../builders/runs.js';
import type { ApiClient } from '../harness/api-client.js';
import { type ChildService, startChildService, urlOf } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { MonitoredFleet } from '../harness/monitored-fleet.js';
import { until } from '../harness/until.js';

const HOUR_MS = 3_600_000;

let fleet: MonitoredFleet;

const begin = async () => {
  fleet = await MonitoredFleet.start();
};

const end = async () => {
  await expectCleanAudit(fleet.app.database);
  await fleet.close();
};

/** Sends everything that contains an agent's own time, with a clock that is wrong by this much. */
async function live(agent: TestAgent, skewMs: number): Promise<void> {
  const timestamp = new Date(Date.now() + skewMs).toISOString();
  const [command] = await poll(agent, `?since=${encodeURIComponent(timestamp)}`);
  const replies = [
    await acknowledge(agent, command!.command_id, { success: true, completed_at: timestamp }),
    await agent.runtime.post('/agents/heartbeat', { timestamp, status: 'running' }),
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'hello', timestamp }),
    await agent.runtime.post('/agents/metrics', { cpu_usage: 1, timestamp }),
  ];
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
}

/** Minutes between a time from the service and now. */
const minutesAgo = (time: string) => Math.round((Date.now() - Date.parse(time)) / 60_000);

describe("An agent's clock that is an hour", () => {
  // the monitor judges the whole fleet
  beforeEach(begin);
  afterEach(end);

  it.each([
    { way: 'ahead', skewMs: HOUR_MS, entriesAreOld: 0 },
    { way: 'behind', skewMs: -HOUR_MS, entriesAreOld: 60 },
  ])('$way changes only the times of the entries that it reports', async ({ skewMs, entriesAreOld }) => {
    const agent = await createAgent(fleet.app, fleet.person);
    const id = await deploy(fleet.person, agent);
    await live(agent, skewMs);
    // The calls after the heartbeat are recorded within a second; what is moved into the past before would be moved back by it.
    await until(async () => {
      const [presence] = await fleet.app.database.query<{ recorded: boolean }>(
        'SELECT last_seen_at > last_heartbeat_at AS recorded FROM agent_presence WHERE agent_id = $1',
        [agent.id],
      );
      return presence!.recorded;
    });
    // The service's own clock says how long it was silent, and who is online.
    await fleet.silence(agent, 100);
    await fleet.round();
    expect(await fleet.agentStatus(agent)).toBe('running');
    const shown = (await fleet.person.api.get(`/agents/${agent.id}`)).body;
    expect(minutesAgo(shown.last_heartbeat)).toBe(0);
    expect((await fleet.deployment(id)).status).toBe('running');
    const { items } = (await fleet.person.api.get(`/deployments/${id}/events`)).body;
    expect(items.map((event: { created_at: string }) => minutesAgo(event.created_at))).toEqual([0, 0]);
    for (const kind of ['logs', 'metrics']) {
      const [entry] = (await fleet.person.api.get(`/agents/${agent.id}/${kind}`)).body;
      expect([kind, minutesAgo(entry.timestamp)]).toEqual([kind, entriesAreOld]);
    }
    await fleet.silence(agent, 60);
    await fleet.round();
    expect((await fleet.deployment(id)).status).toBe('failed');
  });
});

describe('An instance whose clock is ten seconds behind', () => {
  /** Loaded before the service: ids and tokens begin with this time. */
  const behind = ['--import', 'data:text/javascript,const now = Date.now; Date.now = () => now() - 10_000'];

  let slow: ChildService;
  let onSlow: ApiClient;

  beforeAll(async () => {
    await begin();
    slow = await startChildService({ DATABASE_URL: urlOf(fleet.app.database.target) }, { flags: behind });
    await until(async () => (await slow.api.get('/ready')).status === 200);
  });

  beforeEach(async () => {
    fleet.person = await registerPerson(fleet.app);
    const key = await fleet.person.api.post('/api-keys', { name: 'for the other instance' });
    onSlow = slow.api.as(key.body.key);
  });

  afterAll(async () => {
    await slow.end('SIGTERM');
    await end();
  });

  it('creates a deployment that replaces the earlier one of another instance', async () => {
    const { agent, id: old } = await fleet.runningDeployment();
    await report(agent, old, { status: 'ready' });
    const reply = await onSlow.post(`/agents/${agent.id}/deploy`, { replaces: 'active' });
    expect(reply.status).toBe(200);
    const fresh = reply.body.id;
    const { deployments } = (await fleet.person.api.get(`/agents/${agent.id}`)).body;
    expect(deployments.map(({ id }: { id: string }) => id)).toEqual([fresh, old]);
    await obey(agent);
    await report(agent, fresh, { status: 'ready' });
    expect([(await fleet.deployment(old)).status, (await fleet.deployment(fresh)).status]).toEqual([
      'stopped',
      'ready',
    ]);
    // The newest deployment decides the health of an agent without an active one.
    await report(agent, fresh, { status: 'failed', error_message: 'exit code 1' });
    expect((await fleet.person.api.get(`/agents/${agent.id}`)).body.health.state).toBe('failing');
  });

  it.each([
    ['/agents', {}],
    ['/webhooks/', { url: 'https://example.com/hook', events: ['*'] }],
  ])('creates what stands before all that is older in the list %s', async (path, body) => {
    const made: string[] = [];
    for (const api of [fleet.person.api, onSlow, fleet.person.api, onSlow]) {
      const reply = await api.post(path, body);
      expect(reply.status).toBe(201);
      made.unshift(reply.body.id);
    }
    const listed = (await onSlow.get(path)).body.map(({ id }: { id: string }) => id);
    expect(listed).toEqual(made);
  });

  it('lists and gives runs in the order of their requests, through any instance', async () => {
    const worker = await createWorker(fleet.app, fleet.person);
    const asked: string[] = [];
    for (const api of [fleet.person.api, onSlow, fleet.person.api, onSlow])
      asked.push((await api.post(`/agents/${worker.id}/runs`, {})).body.id);
    const listed = (await onSlow.get('/runs')).body.map(({ id }: { id: string }) => id);
    expect(listed).toEqual(asked.toReversed());
    const taken = await claim({ runtime: slow.api.as(worker.key) }, { limit: 10 });
    expect(taken.map(({ run_id: id }) => id)).toEqual(asked);
  });

  it('writes deployments and the audit log in the order in which things happened, at the times of the database', async () => {
    const since = new Date().toISOString();
    const agents: string[] = [];
    const deployments: string[] = [];
    for (const api of [fleet.person.api, onSlow, fleet.person.api, onSlow]) {
      agents.unshift((await api.post('/agents', {})).body.id);
      deployments.unshift((await api.post('/deployments', { agent_id: agents[0] })).body.id);
    }
    const listed = (await onSlow.get(`/deployments?since=${since}`)).body;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(deployments);
    const entries = (await onSlow.get(`/audit?action=agent.create&since=${since}`)).body;
    expect(entries.map(({ target_id }: { target_id: string }) => target_id)).toEqual(agents);
  });
});

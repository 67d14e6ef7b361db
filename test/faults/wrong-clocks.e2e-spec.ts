import { acknowledge, createAgent, deploy, obey, poll, report, type TestAgent } from '../builders/agents.js';
import { startChildService, urlOf } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { MonitoredFleet } from '../harness/monitored-fleet.js';
import { until } from '../harness/until.js';

const HOUR_MS = 3_600_000;

let fleet: MonitoredFleet;

beforeEach(async () => {
  fleet = await MonitoredFleet.start();
});

afterEach(async () => {
  await expectCleanAudit(fleet.app.database);
  await fleet.close();
});

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
  it.each([
    { way: 'ahead', skewMs: HOUR_MS, entriesAreOld: 0 },
    { way: 'behind', skewMs: -HOUR_MS, entriesAreOld: 60 },
  ])('$way changes only the times of the entries that it reports', async ({ skewMs, entriesAreOld }) => {
    const agent = await createAgent(fleet.app, fleet.person);
    const id = await deploy(fleet.person, agent);
    await live(agent, skewMs);
    // The service's own clock decides how long the agent was silent.
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

  it('creates a deployment that replaces the earlier one of another instance', async () => {
    const slow = await startChildService(
      { DATABASE_URL: urlOf(fleet.app.database.target) },
      { flags: behind },
    );
    try {
      await until(async () => (await slow.api.get('/ready')).status === 200);
      const { agent, id: old } = await fleet.runningDeployment();
      await report(agent, old, { status: 'ready' });
      const key = await fleet.person.api.post('/api-keys', { name: 'for the other instance' });
      const reply = await slow.api
        .as(key.body.key)
        .post(`/agents/${agent.id}/deploy`, { replaces: 'active' });
      expect(reply.status).toBe(200);
      const fresh = reply.body.id;
      expect(fresh < old).toBe(true);
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
    } finally {
      await slow.end('SIGTERM');
    }
  });
});

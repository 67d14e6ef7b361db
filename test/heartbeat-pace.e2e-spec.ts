import { insertSearched } from '../src/agents/agent-copies.repository.js';
import { PresenceService } from '../src/agents/presence.service.js';
import { createAgent, deploy, obey, report } from './builders/agents.js';
import { createWebhook, deliveriesOf, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';

/** Address without a server: the deliveries stay queued, and can be read. */
const NOBODY = 'http://127.0.0.1:1/';

let fleet: MonitoredFleet;

beforeAll(async () => {
  fleet = await MonitoredFleet.start(WEBHOOK_SETTINGS);
});

beforeEach(() => fleet.renew());

afterAll(() => fleet.close());

describe('A flapping agent', () => {
  it('is reported lost three times in ten minutes, and recovered once its heartbeats are stable', async () => {
    const { agent, id } = await fleet.runningDeployment();
    const webhook = await createWebhook(fleet.person, NOBODY, { events: ['agent.status_changed'] });
    for (let flap = 0; flap < 10; flap++) {
      await fleet.silence(agent, 121);
      await fleet.round();
      await fleet.heartbeat(agent);
      await report(agent, id, { status: 'running' });
    }
    const types = async () =>
      (await fleet.person.api.get(`/deployments/${id}/events`)).body.items
        .map((item: { event_type: string }) => item.event_type)
        .reverse();
    const told = [
      'deploy',
      'running',
      'heartbeat_lost',
      'recovered',
      'heartbeat_lost',
      'recovered',
      'heartbeat_lost',
    ];
    expect(await types()).toEqual(told);
    expect(await fleet.deployment(id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('Flapping: '),
    });
    const tidings = async () =>
      (await deliveriesOf(fleet.person, webhook.id))
        .map(({ payload }) => JSON.parse(payload).data.agent.status)
        .reverse();
    const heard = ['failed', 'running', 'failed', 'running', 'failed'];
    expect(await tidings()).toEqual(heard);
    expect(await fleet.agentStatus(agent)).toBe('failed');
    // a start of the process counts no more than its heartbeat
    expect((await agent.runtime.post('/agents/register', {})).status).toBe(200);
    expect(await fleet.agentStatus(agent)).toBe('failed');
    await fleet.app.database.query(
      `UPDATE agent_presence SET losses_since = losses_since - interval '10 min' WHERE agent_id = $1`,
      [agent.id],
    );
    await report(agent, id, { status: 'running' });
    expect(await types()).toEqual([...told, 'recovered']);
    expect(await fleet.agentStatus(agent)).toBe('running');
    expect(await tidings()).toEqual([...heard, 'running']);
  });

  it('is not recovered by an acknowledgement either', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    await fleet.heartbeat(agent);
    const id = await deploy(fleet.person, agent);
    await fleet.app.database.query(
      `UPDATE agent_presence SET losses = 2, losses_since = now() WHERE agent_id = $1`,
      [agent.id],
    );
    await fleet.silence(agent, 121);
    await fleet.round();
    expect(await obey(agent)).toEqual(['deploy']);
    expect((await fleet.deployment(id)).status).toBe('failed');
  });
});

describe('The assigned heartbeat interval', () => {
  it('is at most halved by a reply, so that an agent that missed one reply is not lost', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    await fleet.app.database.query(
      `UPDATE agent_presence SET assigned_interval_seconds = 134 WHERE agent_id = $1`,
      [agent.id],
    );
    const told: number[] = [];
    for (let beat = 0; beat < 4; beat++) {
      // any other call leaves it unchanged
      await agent.runtime.post('/agents/metrics', { cpu_usage: 1 });
      told.push((await agent.runtime.post('/agents/heartbeat', {})).body.heartbeat_interval_seconds);
    }
    expect(told).toEqual([67, 33, 30, 30]);
  });

  it("grows when the fleet exceeds the heartbeat rate, and sets the agent's timeout", async () => {
    const large = await MonitoredFleet.start({ HEARTBEAT_MAX_RATE: '1' });
    try {
      const agent = await createAgent(large.app, large.person);
      const other = await createAgent(large.app, large.person);
      await large.heartbeat(agent);
      await large.heartbeat(other);
      // A fleet of 90, with a maximum of one heartbeat a second.
      await large.app.database.query(
        `WITH agent AS (
           INSERT INTO agents (id, user_id, name, type, status)
           SELECT gen_random_uuid(), $1, 'one of many', 'custom', 'running' FROM generate_series(1, 88) RETURNING *
         ), version AS (
           INSERT INTO agent_configs (agent_id, config_version, config, actor)
           SELECT id, 1, '{}', 'user:' || $1::uuid FROM agent
         ), search AS (${insertSearched('agent')})
         INSERT INTO agent_presence (agent_id, user_id, assigned_interval_seconds, online_since)
         SELECT id, $1, 30, now() FROM agent`,
        [large.person.id],
      );
      await large.app.app.get(PresenceService).countFleet();
      const reply = await agent.runtime.post('/agents/heartbeat', {});
      expect(reply.body.heartbeat_interval_seconds).toBe(90);
      expect((await agent.runtime.post('/agents/register', {})).body.heartbeat_interval_seconds).toBe(90);
      for (const each of [agent, other]) await large.silence(each, 200);
      await large.round();
      // One agent has an interval of 90 seconds and may be silent for 360; the other has 30.
      expect(await large.agentStatus(agent)).toBe('running');
      expect(await large.agentStatus(other)).toBe('failed');
    } finally {
      await large.close();
    }
  });
});

describe('A heartbeat with the status running', () => {
  it('recovers all lost deployments of the agent when it names none', async () => {
    const { agent, id } = await fleet.runningDeployment();
    const other = await deploy(fleet.person, agent);
    await fleet.silence(agent, 121);
    await fleet.round();
    for (const status of ['idle', 'stopped', 'error'])
      await agent.runtime.post('/agents/heartbeat', { status });
    await agent.runtime.post('/agents/heartbeat', { status: 'running', deployments: [] });
    expect((await fleet.deployment(id)).status).toBe('failed');
    await agent.runtime.post('/agents/heartbeat', { status: 'running' });
    for (const each of [id, other]) {
      expect(await fleet.deployment(each)).toMatchObject({ status: 'running', status_source: 'agent' });
      const { items } = (await fleet.person.api.get(`/deployments/${each}/events`)).body;
      expect(items[0]).toMatchObject({ event_type: 'recovered', previous_status: 'failed' });
    }
    await agent.runtime.post('/agents/heartbeat', { status: 'running' });
    expect((await fleet.person.api.get(`/deployments/${id}/events?event_type=recovered`)).body.total).toBe(1);
  });

  it('recovers no deployment that failed for another reason', async () => {
    const { agent, id } = await fleet.runningDeployment();
    await report(agent, id, { status: 'failed', error_message: 'exit code 1' });
    await agent.runtime.post('/agents/heartbeat', { status: 'running' });
    expect((await fleet.deployment(id)).status).toBe('failed');
  });
});

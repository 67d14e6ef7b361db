import { jest } from '@jest/globals';
import { NIL } from 'uuid';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { LivenessService } from '../src/deployments/liveness.service.js';
import { MonitorService } from '../src/monitor/monitor.service.js';
import { createAgent, deploy, obey, report, type TestAgent } from './builders/agents.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

let fleet: MonitoredFleet;
let another: TestApp;

beforeAll(async () => {
  fleet = await MonitoredFleet.start();
  another = await startTestApp({ database: fleet.app.database });
});

afterAll(async () => {
  await another.close();
  await fleet.close();
});

beforeEach(() => fleet.renew());

afterEach(() => jest.restoreAllMocks());

describe('A lost heartbeat', () => {
  it('fails the agent and its active deployments, and creates no stop command', async () => {
    const { agent, id } = await fleet.runningDeployment();
    await fleet.silence(agent, 121);
    await fleet.round();
    expect(await fleet.agentStatus(agent)).toBe('failed');
    expect(await fleet.deployment(id)).toMatchObject({
      status: 'failed',
      status_source: 'monitor',
      ended_at: expect.any(String),
      error_message: expect.stringContaining('heartbeat'),
    });
    const { items } = (await fleet.person.api.get(`/deployments/${id}/events`)).body;
    expect(items[0]).toMatchObject({ event_type: 'heartbeat_lost', actor: 'monitor' });
    expect((await agent.runtime.get('/agents/commands')).body.commands).toEqual([]);
  });

  it("is not declared before the agent's timeout", async () => {
    const { agent, id } = await fleet.runningDeployment();
    // With an interval of 300 seconds it may be silent for 1,200; no test takes the remaining half minute.
    await fleet.app.database.query(
      'UPDATE agent_presence SET assigned_interval_seconds = 300 WHERE agent_id = $1',
      [agent.id],
    );
    await fleet.silence(agent, 1_170);
    await fleet.round();
    expect(await fleet.agentStatus(agent)).toBe('running');
    expect((await fleet.deployment(id)).status).toBe('running');
  });

  it('is not declared for an agent that never sent a heartbeat', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    const id = await deploy(fleet.person, agent);
    await obey(agent);
    await agent.runtime.post('/agents/register', {});
    await fleet.silence(agent, 10_000);
    await fleet.round();
    expect((await fleet.deployment(id)).status).toBe('running');
  });

  it('is declared once', async () => {
    const { agent, id } = await fleet.runningDeployment();
    await fleet.silence(agent, 121);
    await fleet.round();
    await fleet.round();
    expect((await fleet.deployment(id)).status).toBe('failed');
    expect(
      (await fleet.person.api.get(`/deployments/${id}/events?event_type=heartbeat_lost`)).body.total,
    ).toBe(1);
  });

  it('ends with the next heartbeat for the agent, and with a running report for the deployment', async () => {
    const { agent, id } = await fleet.runningDeployment();
    await fleet.silence(agent, 121);
    await fleet.round();
    await fleet.heartbeat(agent);
    expect(await fleet.agentStatus(agent)).toBe('running');
    expect((await fleet.deployment(id)).status).toBe('failed');
    await report(agent, id, { status: 'running' });
    expect(await fleet.deployment(id)).toMatchObject({
      status: 'running',
      ended_at: null,
      error_message: null,
    });
    const { items } = (await fleet.person.api.get(`/deployments/${id}/events`)).body;
    expect(items[0]).toMatchObject({ event_type: 'recovered', previous_status: 'failed' });
  });

  it('leaves a stopped agent stopped', async () => {
    const { agent } = await fleet.runningDeployment();
    await fleet.person.api.post(`/agents/${agent.id}/stop`);
    await fleet.silence(agent, 10_000);
    await fleet.round();
    expect(await fleet.agentStatus(agent)).toBe('stopped');
  });

  it.each([
    ['a poll', (agent: TestAgent) => agent.runtime.get('/agents/commands')],
    [
      'a log line',
      (agent: TestAgent) => agent.runtime.post('/agents/logs', { level: 'info', message: 'hello' }),
    ],
    ['a metric', (agent: TestAgent) => agent.runtime.post('/agents/metrics', { cpu_usage: 1 })],
    ['a look at its own status', (agent: TestAgent) => agent.runtime.get(`/agents/${agent.id}/status`)],
    ['a call that is refused', (agent: TestAgent) => agent.runtime.get('/agents/commands?wait=61'), 422],
  ])('is postponed by %s', async (_, call, status = 200) => {
    const { agent } = await fleet.runningDeployment();
    await fleet.silence(agent, 121);
    // An instance without a recent call of the agent records the call at once.
    const reply = await call({ ...agent, runtime: another.api.as(agent.key) });
    expect(reply.status).toBe(status);
    const seen = async () =>
      (
        await fleet.app.database.query<{ recent: boolean }>(
          `SELECT last_seen_at > now() - interval '60 s' AS recent FROM agent_presence WHERE agent_id = $1`,
          [agent.id],
        )
      )[0]!.recent;
    await until(seen);
    await fleet.round();
    expect(await fleet.agentStatus(agent)).toBe('running');
  });
});

describe('The monitor', () => {
  it('declares no agent lost until a full timeout after the service is back', async () => {
    const { agent } = await fleet.runningDeployment();
    await fleet.silence(agent, 10_000);
    // The clock is stopped, or a late round would be beyond the timeout.
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now);
    fleet.monitor.restartGracePeriod(now - 119_999);
    await until(() => fleet.runMonitor());
    expect(await fleet.agentStatus(agent)).toBe('running');
    fleet.monitor.restartGracePeriod(now - 120_000);
    await until(() => fleet.runMonitor());
    expect(await fleet.agentStatus(agent)).toBe('failed');
  });

  it('expires no command during the grace period, because acknowledgements may be on their way', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    const id = await deploy(fleet.person, agent);
    await fleet.app.database.query(
      `UPDATE commands SET state = 'leased', attempts = 5, leased_until = now() WHERE deployment_id = $1`,
      [id],
    );
    fleet.monitor.restartGracePeriod(performance.now() - 119_000);
    await fleet.runMonitor();
    expect((await fleet.deployment(id)).status).toBe('deploying');
    fleet.monitor.restartGracePeriod(performance.now() - 121_000);
    await fleet.runMonitor();
    expect((await fleet.deployment(id)).status).toBe('failed');
  });

  it('holds back the loss of more than half of a fleet that went silent at once, until a full timeout after its end', async () => {
    const agents = await fleet.heardAgents(10);
    const silent = agents.slice(0, 6);
    for (const agent of silent) await fleet.silence(agent, 500);
    await fleet.round();
    const { body: text } = await fleet.person.api.get('/metrics');
    expect(text).toMatch(/^control_plane_agents_online 10$/m);
    expect(text).toMatch(/^control_plane_agents_overdue 6$/m);
    expect(text).toMatch(/^control_plane_agents_held_back 6$/m);
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
    expect(await fleet.agentStatuses(agents)).toEqual(agents.map(() => 'running'));
    await fleet.heartbeat(agents[0]!);
    await fleet.round();
    await fleet.runMonitor();
    expect(await fleet.agentStatuses(agents)).toEqual(agents.map(() => 'running'));
    await fleet.round();
    expect(await fleet.agentStatuses(silent)).toEqual(['running', ...times(5, 'failed')]);
  });

  it('holds back a mass silence also while the timeouts of a few agents are over', async () => {
    const agents = await fleet.heardAgents(10);
    for (const [index, agent] of agents.entries()) await fleet.silence(agent, index < 3 ? 121 : 96);
    await fleet.round();
    expect(await fleet.agentStatuses(agents)).toEqual(times(10, 'running'));
  });

  it('declares lost an agent that went silent at another time, and all agents after an hour', async () => {
    const agents = await fleet.heardAgents(8);
    const { agent: other, id } = await fleet.runningDeployment();
    await fleet.heardAgents(1);
    for (const agent of agents) await fleet.silence(agent, 1_000);
    await fleet.silence(other, 121);
    await fleet.round();
    expect((await fleet.deployment(id)).status).toBe('failed');
    expect(await fleet.agentStatuses(agents)).toEqual(times(8, 'running'));
    for (const agent of agents) await fleet.silence(agent, 2_600);
    for (let round = 0; round < 2; round++) await fleet.round();
    expect(await fleet.agentStatuses(agents)).toEqual(times(8, 'failed'));
  });

  it('declares the other agents lost when more declarations fail than one batch holds', async () => {
    const { agent } = await fleet.runningDeployment();
    await fleet.silence(agent, 121);
    const gone = Array.from({ length: 500 }, (_, index) => ({ id: `${index}`, agentId: NIL }));
    jest.spyOn(fleet.app.app.get(LivenessService), 'listOverdue').mockResolvedValue(gone);
    await fleet.round();
    expect(await fleet.agentStatus(agent)).toBe('failed');
  });

  it('does nothing while another instance monitors', async () => {
    const { agent } = await fleet.runningDeployment();
    await fleet.silence(agent, 121);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    try {
      const looks = jest
        .spyOn(another.app.get(LivenessService), 'listExhausted')
        .mockImplementation(() => held.then(() => []));
      for (const { app } of [fleet.app, another]) app.get(MonitorService).restartGracePeriod(-Infinity);
      const theirs = another.app.get(PeriodicJobs).runOnce('monitor');
      await until(() => looks.mock.calls.length === 1);
      const own = await Promise.all([1, 2, 3, 4].map(() => fleet.runMonitor()));
      expect(own).toEqual([false, false, false, false]);
      expect(await fleet.agentStatus(agent)).toBe('running');
      goOn();
      expect(await theirs).toBe(true);
      await fleet.round();
      expect(await fleet.agentStatus(agent)).toBe('failed');
    } finally {
      goOn();
    }
  });
});

describe('The progress deadline', () => {
  it('fails a deployment that is not running in time', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    const id = await deploy(fleet.person, agent);
    await fleet.app.database.query(
      // No test takes the remaining half minute.
      `UPDATE deployments SET started_at = now() - interval '570 s' WHERE id = $1`,
      [id],
    );
    await fleet.round();
    expect((await fleet.deployment(id)).status).toBe('deploying');
    await fleet.app.database.query(
      `UPDATE deployments SET started_at = now() - interval '601 s' WHERE id = $1`,
      [id],
    );
    await fleet.round();
    expect(await fleet.deployment(id)).toMatchObject({
      status: 'failed',
      error_message: 'Not running within 600 seconds',
    });
    const { items } = (await fleet.person.api.get(`/deployments/${id}/events`)).body;
    expect(items[0].event_type).toBe('deadline_exceeded');
    // a runtime that connects later must not start a deployment that was given up
    expect((await agent.runtime.get('/agents/commands')).body.commands).toEqual([]);
    await report(agent, id, { status: 'running' });
    expect((await fleet.deployment(id)).status).toBe('failed');
  });
});

describe('A stalled agent', () => {
  it('has its command dead after five leases and its deployment failed, and a late reply is still stored', async () => {
    const agent = await createAgent(fleet.app, fleet.person);
    const id = await deploy(fleet.person, agent);
    await fleet.heartbeat(agent);
    let commandId = '';
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [command] = (await agent.runtime.get('/agents/commands')).body.commands;
      expect(command.attempt).toBe(attempt);
      commandId = command.command_id;
      await fleet.round();
      expect((await fleet.deployment(id)).status).toBe('deploying');
      await fleet.app.database.query('UPDATE commands SET leased_until = now() WHERE id = $1', [commandId]);
    }
    expect((await agent.runtime.get('/agents/commands')).body.commands).toEqual([]);
    await fleet.round();
    expect(await fleet.deployment(id)).toMatchObject({
      status: 'failed',
      status_source: 'monitor',
      error_message: expect.stringContaining('five deliveries'),
    });
    expect(await fleet.agentStatus(agent)).toBe('running');
    const state = async () =>
      (await fleet.app.database.query('SELECT state FROM commands WHERE id = $1', [commandId]))[0];
    expect(await state()).toEqual({ state: 'dead' });
    const late = await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: commandId,
      success: true,
    });
    expect(late.body).toEqual({ status: 'ok', command_id: commandId });
    expect(await state()).toEqual({ state: 'succeeded' });
    expect((await fleet.deployment(id)).status).toBe('failed');
  });
});

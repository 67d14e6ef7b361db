import { Monitor } from '../src/monitor/monitor.service.js';
import { createAgent, deploy, obey, report, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;
let monitor: Monitor;

beforeEach(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  monitor = app.app.get(Monitor);
  // As if the service had been up for long: its grace after a start is a matter of its own test.
  monitor.resumeHearing(-Infinity);
});

afterEach(() => app.close());

async function heartbeat(agent: TestAgent): Promise<void> {
  expect((await agent.runtime.post('/agents/heartbeat', {})).status).toBe(200);
}

/** Moves an agent's last sign of life into the past. */
async function silence(agent: TestAgent, seconds: number): Promise<void> {
  await app.database.query(
    `UPDATE agent_presence SET last_seen_at = last_seen_at - make_interval(secs => $2) WHERE agent_id = $1`,
    [agent.id, seconds],
  );
}

async function runningDeployment(): Promise<{ agent: TestAgent; id: string }> {
  const agent = await createAgent(app, person);
  const id = await deploy(person, agent);
  await obey(agent);
  await heartbeat(agent);
  return { agent, id };
}

const agentStatus = async (agent: TestAgent) => (await person.api.get(`/agents/${agent.id}`)).body.status;
const deploymentOf = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;

describe('A lost heartbeat', () => {
  it('fails the agent and its active deployments, and sends no stop', async () => {
    const { agent, id } = await runningDeployment();
    await silence(agent, 121);
    expect(await monitor.runOnce()).toBe(true);
    expect(await agentStatus(agent)).toBe('failed');
    expect(await deploymentOf(id)).toMatchObject({
      status: 'failed',
      status_source: 'monitor',
      ended_at: expect.any(String),
      error_message: expect.stringContaining('heartbeat'),
    });
    const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
    expect(items[0]).toMatchObject({ event_type: 'heartbeat_lost', actor: 'monitor' });
    expect((await agent.runtime.get('/agents/commands')).body.commands).toEqual([]);
  });

  it('is not one while the agent may still be silent', async () => {
    const { agent, id } = await runningDeployment();
    await silence(agent, 115);
    await monitor.runOnce();
    expect(await agentStatus(agent)).toBe('running');
    expect((await deploymentOf(id)).status).toBe('running');
  });

  it('is not one of an agent that never sent a heartbeat', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await obey(agent);
    await silence(agent, 10_000);
    await monitor.runOnce();
    expect((await deploymentOf(id)).status).toBe('running');
  });

  it('is declared once', async () => {
    const { agent, id } = await runningDeployment();
    await silence(agent, 121);
    await monitor.runOnce();
    await monitor.runOnce();
    expect((await deploymentOf(id)).status).toBe('failed');
    expect((await person.api.get(`/deployments/${id}/events?event_type=heartbeat_lost`)).body.total).toBe(1);
  });

  it('is recovered from: the agent by its next heartbeat, the deployment by the report that it runs', async () => {
    const { agent, id } = await runningDeployment();
    await silence(agent, 121);
    await monitor.runOnce();
    await heartbeat(agent);
    expect(await agentStatus(agent)).toBe('running');
    expect((await deploymentOf(id)).status).toBe('failed');
    await report(agent, id, { status: 'running' });
    expect(await deploymentOf(id)).toMatchObject({ status: 'running', ended_at: null, error_message: null });
    const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
    expect(items[0]).toMatchObject({ event_type: 'recovered', previous_status: 'failed' });
  });

  it('leaves a stopped agent stopped', async () => {
    const { agent } = await runningDeployment();
    await person.api.post(`/agents/${agent.id}/stop`);
    await silence(agent, 10_000);
    await monitor.runOnce();
    expect(await agentStatus(agent)).toBe('stopped');
  });

  it.each([
    ['a poll', (agent: TestAgent) => agent.runtime.get('/agents/commands')],
    [
      'a log line',
      (agent: TestAgent) => agent.runtime.post('/agents/logs', { level: 'info', message: 'hello' }),
    ],
    ['a metric', (agent: TestAgent) => agent.runtime.post('/agents/metrics', { cpu_usage: 1 })],
    ['a look at its own status', (agent: TestAgent) => agent.runtime.get(`/agents/${agent.id}/status`)],
  ])('is put off by %s', async (_, call) => {
    const { agent } = await runningDeployment();
    const another = await startTestApp({ database: app.database });
    try {
      await silence(agent, 121);
      // An instance that has not heard of the agent lately records the sign at once.
      const reply = await call({ ...agent, runtime: another.api.as(agent.key) });
      expect(reply.status).toBe(200);
      const seen = async () =>
        (
          await app.database.query<{ recent: boolean }>(
            `SELECT last_seen_at > now() - interval '60 s' AS recent FROM agent_presence WHERE agent_id = $1`,
            [agent.id],
          )
        )[0]!.recent;
      for (let tries = 0; tries < 500 && !(await seen()); tries++);
      await monitor.runOnce();
      expect(await agentStatus(agent)).toBe('running');
    } finally {
      await another.close();
    }
  });
});

describe('The monitor judges nobody', () => {
  it('before a full timeout has passed since the service came back', async () => {
    const { agent } = await runningDeployment();
    await silence(agent, 10_000);
    monitor.resumeHearing(performance.now() - 119_000);
    await monitor.runOnce();
    expect(await agentStatus(agent)).toBe('running');
    monitor.resumeHearing(performance.now() - 121_000);
    await monitor.runOnce();
    expect(await agentStatus(agent)).toBe('failed');
  });

  it('while more than half of a fleet is silent', async () => {
    const agents: TestAgent[] = [];
    for (let count = 0; count < 10; count++) {
      const agent = await createAgent(app, person);
      await heartbeat(agent);
      agents.push(agent);
    }
    for (const agent of agents.slice(0, 6)) await silence(agent, 500);
    await monitor.runOnce();
    for (const agent of agents) expect(await agentStatus(agent)).toBe('running');
    await heartbeat(agents[0]!);
    await monitor.runOnce();
    expect(await agentStatus(agents[0]!)).toBe('running');
    for (const agent of agents.slice(1, 6)) expect(await agentStatus(agent)).toBe('failed');
  });

  it('while another instance is at it', async () => {
    const another = await startTestApp({ database: app.database });
    try {
      const rounds = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? another.app.get(Monitor) : monitor).runOnce()),
      );
      expect(rounds).toContain(true);
      expect(rounds).toContain(false);
    } finally {
      await another.close();
    }
  });
});

describe('The progress deadline', () => {
  it('fails what does not come to run', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await app.database.query(`UPDATE deployments SET started_at = now() - interval '599 s' WHERE id = $1`, [
      id,
    ]);
    await monitor.runOnce();
    expect((await deploymentOf(id)).status).toBe('deploying');
    await app.database.query(`UPDATE deployments SET started_at = now() - interval '601 s' WHERE id = $1`, [
      id,
    ]);
    await monitor.runOnce();
    expect(await deploymentOf(id)).toMatchObject({
      status: 'failed',
      error_message: 'Not running within 600 seconds',
    });
    const { items } = (await person.api.get(`/deployments/${id}/events`)).body;
    expect(items[0].event_type).toBe('deadline_exceeded');
    await report(agent, id, { status: 'running' });
    expect((await deploymentOf(id)).status).toBe('failed');
  });
});

describe('A stalled agent', () => {
  it('loses the command after five leases, and its deployment with the reason; a late reply is still kept', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await heartbeat(agent);
    let commandId = '';
    for (let attempt = 1; attempt <= 5; attempt++) {
      const [command] = (await agent.runtime.get('/agents/commands')).body.commands;
      expect(command.attempt).toBe(attempt);
      commandId = command.command_id;
      await monitor.runOnce();
      expect((await deploymentOf(id)).status).toBe('deploying');
      await app.database.query('UPDATE commands SET leased_until = now() WHERE id = $1', [commandId]);
    }
    expect((await agent.runtime.get('/agents/commands')).body.commands).toEqual([]);
    await monitor.runOnce();
    expect(await deploymentOf(id)).toMatchObject({
      status: 'failed',
      status_source: 'monitor',
      error_message: expect.stringContaining('five deliveries'),
    });
    expect(await agentStatus(agent)).toBe('running');
    const state = async () =>
      (await app.database.query('SELECT state FROM commands WHERE id = $1', [commandId]))[0];
    expect(await state()).toEqual({ state: 'dead' });
    const late = await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: commandId,
      success: true,
    });
    expect(late.body).toEqual({ status: 'ok', command_id: commandId });
    expect(await state()).toEqual({ state: 'succeeded' });
    expect((await deploymentOf(id)).status).toBe('failed');
  });
});

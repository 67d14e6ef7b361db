import { PresenceService } from '../src/agents/presence.service.js';
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

describe('A heartbeat that comes and goes', () => {
  it('is told three times within ten minutes, and its return once it holds', async () => {
    const { agent, id } = await runningDeployment();
    for (let flap = 0; flap < 10; flap++) {
      await silence(agent, 121);
      await monitor.runOnce();
      await heartbeat(agent);
      await report(agent, id, { status: 'running' });
    }
    const types = async () =>
      (await person.api.get(`/deployments/${id}/events`)).body.items
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
    expect(await deploymentOf(id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('comes and goes'),
    });
    await app.database.query(
      `UPDATE agent_presence SET losses_since = losses_since - interval '10 min' WHERE agent_id = $1`,
      [agent.id],
    );
    await report(agent, id, { status: 'running' });
    expect(await types()).toEqual([...told, 'recovered']);
  });
});

describe('The interval that agents are told', () => {
  it('is stretched when the fleet is too large for the rate, and judged by', async () => {
    await app.close();
    app = await startTestApp({ settings: { HEARTBEAT_MAX_RATE: '1' } });
    person = await registerPerson(app);
    monitor = app.app.get(Monitor);
    monitor.resumeHearing(-Infinity);
    const agent = await createAgent(app, person);
    const other = await createAgent(app, person);
    await heartbeat(agent);
    await heartbeat(other);
    // A fleet of 90, of which one heartbeat a second may come.
    await app.database.query(
      `WITH agent AS (
         INSERT INTO agents (id, user_id, name, type, config, status)
         SELECT gen_random_uuid(), $1, 'one of many', 'custom', '{}', 'running' FROM generate_series(1, 88) RETURNING id
       )
       INSERT INTO agent_presence (agent_id, told_interval_seconds, online_since) SELECT id, 30, now() FROM agent`,
      [person.id],
    );
    await app.app.get(PresenceService).countFleet();
    const reply = await agent.runtime.post('/agents/heartbeat', {});
    expect(reply.body.heartbeat_interval_seconds).toBe(90);
    expect((await agent.runtime.post('/agents/register', {})).body.heartbeat_interval_seconds).toBe(90);
    for (const each of [agent, other]) await silence(each, 200);
    await monitor.runOnce();
    // The one was told 90 seconds and may be silent for 360; the other was told 30.
    expect(await agentStatus(agent)).toBe('running');
    expect(await agentStatus(other)).toBe('failed');
  });
});

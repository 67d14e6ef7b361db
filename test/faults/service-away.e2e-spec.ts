import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { createAgent, deploy, obey, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import type { ChildService } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { until } from '../harness/until.js';
import { Instances } from './instances.js';

/** Agents may be silent for a few seconds only, which have to pass several times. */
jest.setTimeout(180_000);

const AGENTS = 5;
/** Time after which an instance notices that it was suspended; the limit is five seconds. */
const STANDSTILL_MS = 5_500;
const AWAY_SECONDS = 600;

let instances: Instances;
let person: Person;
let agents: TestAgent[];
/** An agent that has stopped permanently: its loss shows that the monitor judges agents again. */
let gone: TestAgent;

beforeAll(async () => {
  instances = await Instances.start(1, {
    MONITOR_INTERVAL_SECONDS: '1',
    HEARTBEAT_INTERVAL_SECONDS: '1',
    HEARTBEAT_TIMEOUT_SECONDS: '2',
  });
  person = await registerPerson(instances.app());
});

beforeEach(async () => {
  agents = [];
  while (agents.length < AGENTS) agents.push(await running());
  gone = await running();
});

afterEach(async () => {
  await expectCleanAudit(instances.database);
  // they will be silent, and a mass silence holds back losses
  const owner = instances.first.api.as(person.accessToken);
  await Promise.all([...agents, gone].map(({ id }) => owner.delete(`/agents/${id}`)));
});

afterAll(() => instances.close());

/** An agent with a running deployment, whose assigned interval is minutes: no test is that slow. */
async function running(): Promise<TestAgent> {
  const agent = await createAgent(instances.app(), person);
  await deploy(person, agent);
  await obey(agent);
  await instances.database.query(
    'UPDATE agent_presence SET assigned_interval_seconds = 120 WHERE agent_id = $1',
    [agent.id],
  );
  expect((await agent.runtime.post('/agents/heartbeat', {})).status).toBe(200);
  return agent;
}

/**
 * Moves times into the past, as if the service had been away for ten minutes, which is longer than agents may be
 * silent.
 */
async function letTimePass(): Promise<void> {
  await instances.database.query(
    `UPDATE agent_presence SET last_seen_at = last_seen_at - make_interval(secs => $1),
       last_heartbeat_at = last_heartbeat_at - make_interval(secs => $1)`,
    [AWAY_SECONDS],
  );
}

/** A signal takes effect a moment after it was sent. */
const isStopped = (pid: number) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

const beat = (service: ChildService) =>
  agents.map(({ key }) => service.api.as(key).post('/agents/heartbeat', {}));

async function lostAgents(): Promise<string[]> {
  const rows = await instances.database.query<{ agent_id: string }>(
    `SELECT agent_id FROM deployment_events WHERE event_type = 'heartbeat_lost' AND agent_id = ANY ($1)`,
    [[...agents, gone].map(({ id }) => id)],
  );
  return rows.map((row) => row.agent_id);
}

async function expectOnlyTheGoneLost(service: ChildService): Promise<void> {
  // A busy machine makes the service late by seconds, and each time agents get their full time again.
  await until(async () => (await lostAgents()).includes(gone.id), 100_000);
  expect(await lostAgents()).toEqual([gone.id]);
  for (const { id } of agents) {
    const { body } = await service.api.as(person.accessToken).get(`/agents/${id}`);
    expect([body.status, body.deployments[0].status]).toEqual(['running', 'running']);
  }
}

describe('No agent is declared lost when', () => {
  it('a service continues whose process was suspended for ten minutes', async () => {
    const { first: service, database } = instances;
    service.process.kill('SIGSTOP');
    await until(() => isStopped(service.process.pid!));
    const stoppedAt = Date.now();
    await letTimePass();
    // The agents have called all the time, and wait for their replies.
    const waiting = beat(service);
    await until(() => Date.now() - stoppedAt > STANDSTILL_MS);
    service.process.kill('SIGCONT');
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    await expectOnlyTheGoneLost(service);
    expect((await database.query('SELECT FROM commands WHERE settled_at IS NULL')).length).toBe(0);
  });

  it('a service starts again ten minutes after it was killed', async () => {
    await instances.kill(instances.first);
    await letTimePass();
    const service = await instances.add();
    for (const { status } of await Promise.all(beat(service))) expect(status).toBe(200);
    await expectOnlyTheGoneLost(service);
  });
});

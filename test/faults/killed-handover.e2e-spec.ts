import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { createAgent, deploy, obey, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { EventStream } from '../harness/event-stream.js';
import { untilSomeoneWaits, whileGated } from '../harness/held-lock.js';
import { until } from '../harness/until.js';
import { withinASecond } from '../harness/within-a-second.js';
import { Instances } from './instances.js';

/** Services start one after the other, which takes a busy machine a minute. */
jest.setTimeout(180_000);

let instances: Instances;
let person: Person;
let partner: Person;
let from: string;
let to: string;
let agent: TestAgent;
let deploymentId: string;

/** Makes a project of these people, who have made no request yet. */
async function share(...owners: readonly Person[]): Promise<string> {
  const id = randomUUID();
  const { database } = instances;
  await database.query(
    `INSERT INTO projects (id, name, is_personal, created_by) VALUES ($1, 'shared', false, $2)`,
    [id, owners[0]!.id],
  );
  await database.query(
    `INSERT INTO project_members (user_id, project_id, source, role) SELECT unnest($2::uuid[]), $1, 'direct', 'owner'`,
    [id, owners.map((owner) => owner.id)],
  );
  return id;
}

beforeAll(async () => {
  instances = await Instances.start(2);
});

beforeEach(async () => {
  const app = instances.app();
  [person, partner] = [await registerPerson(app), await registerPerson(app)];
  [from, to] = [await share(person, partner), await share(person)];
  agent = await createAgent(app, person, { project_id: from });
  deploymentId = await deploy(person, agent);
  await obey(agent);
  await deploy(person, agent);
});

afterAll(() => instances.close());

const as = (credential: string) => instances.first.api.as(credential);
const feedOf = async (projectId: string) =>
  (await as(person.accessToken).get(`/events?project_id=${projectId}`)).body.map(
    ({ event_type }: any) => event_type,
  );
const move = (api = as(person.accessToken)) => api.patch(`/agents/${agent.id}`, { project_id: to });

/** The program continues with whichever instance is left. */
async function goOn(): Promise<void> {
  const program = { ...agent, runtime: as(agent.key) };
  expect(await obey(program)).toEqual(['deploy']);
  await report(program, deploymentId, { status: 'ready', ready_replicas: 1 });
}

describe('A service that is killed in the middle of a handover', () => {
  it('has moved nothing before the commit; the same request to another instance moves everything', async () => {
    const [killed] = instances.all;
    await whileGated(instances.database, 'deployment_events', 'insertion', async (open) => {
      const lost = expect(move(killed!.api.as(person.accessToken))).rejects.toThrow();
      await untilSomeoneWaits(instances.database);
      await instances.kill(killed!);
      await lost;
      await open();
    });
    expect((await as(partner.accessToken).get(`/agents/${agent.id}`)).body.project_id).toBe(from);
    expect(await feedOf(to)).toEqual([]);
    await expectCleanAudit(instances.database);
    expect((await move()).body.project_id).toBe(to);
    await goOn();
    expect(await feedOf(from)).toEqual(['deploy', 'running', 'deploy']);
    expect(await feedOf(to)).toEqual(['agent.moved', 'agent.moved', 'running', 'ready']);
    await instances.add();
  });

  it('has moved everything after the commit, and the other instances know it within a second', async () => {
    const [killed, witness] = instances.all;
    const path = `/deployments/${deploymentId}/events/stream`;
    const stream = await EventStream.open(witness!.url, path, { credential: partner.accessToken });
    await until(() => stream.lastEventId);
    await whileGated(instances.database, 'deployment_events', 'commit', async (open) => {
      const lost = expect(move(killed!.api.as(person.accessToken))).rejects.toThrow();
      await untilSomeoneWaits(instances.database);
      // A stopped process can't answer.
      killed!.process.kill('SIGSTOP');
      await open();
      const agentAtWitness = () => witness!.api.as(partner.accessToken).get(`/agents/${agent.id}`);
      await withinASecond(async () => (await agentAtWitness()).status === 404);
      await until(() => stream.isClosed);
      await instances.kill(killed!);
      await lost;
    });
    expect([stream.endReason, stream.data]).toEqual(['credential', []]);
    const repeated = await move();
    expect([repeated.status, repeated.body.project_id]).toEqual([200, to]);
    await goOn();
    expect(await feedOf(to)).toEqual(['agent.moved', 'agent.moved', 'running', 'ready']);
    await instances.add();
  });
});

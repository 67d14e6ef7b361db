import { createAgent, deploy } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, registerMember, setMembership } from './builders/projects.js';
import { EventStream } from './harness/event-stream.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let changing: TestApp;
let other: TestApp;
let owner: Person;
let projectId: string;
let agentId: string;
let deploymentId: string;
const opened: EventStream[] = [];

beforeAll(async () => {
  changing = await startTestApp();
  other = await startTestApp({ database: changing.database });
  owner = await registerPerson(changing);
  projectId = await createProject(owner);
  const agent = await createAgent(changing, owner, { project_id: projectId });
  agentId = agent.id;
  deploymentId = await deploy(owner, agent);
});

afterEach(() => opened.splice(0).forEach((stream) => stream.close()));

afterAll(async () => {
  await other.close();
  await changing.close();
});

/** The streams of the project on the instance that does not change the membership. */
async function openAll(credential: string): Promise<EventStream[]> {
  const paths = [
    `/events/stream?project_id=${projectId}`,
    `/deployments/${deploymentId}/events/stream`,
    `/agents/${agentId}/logs/stream`,
    `/logs/stream?agent_id=${agentId}`,
  ];
  const streams = await Promise.all(paths.map((path) => EventStream.open(other.url, path, { credential })));
  opened.push(...streams);
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  return streams;
}

/** The credentials of a person: their token, and a key of theirs. */
async function credentialsOf(person: Person): Promise<string[]> {
  return [person.accessToken, (await person.api.post('/api-keys', { name: 'own' })).body.key];
}

const on = (instance: TestApp, credential: string) => instance.api.as(credential);

describe('The end of a membership', () => {
  it('ends the streams of the member on another instance, and no others', async () => {
    const [leaver, colleague] = [
      await registerMember(changing, projectId, 'deployer'),
      await registerMember(changing, projectId, 'viewer'),
    ];
    const ending: EventStream[] = [];
    for (const credential of await credentialsOf(leaver)) ending.push(...(await openAll(credential)));
    const staying = await openAll(colleague.accessToken);
    const personal = await EventStream.open(other.url, '/events/stream', { credential: leaver.accessToken });
    opened.push(personal);
    await setMembership(changing, projectId, leaver, null);
    for (const stream of ending) expect(await stream.ended()).toBe('credential');
    expect([...staying, personal].map(({ isClosed }) => isClosed)).toEqual(Array(5).fill(false));
    expect(ending.flatMap(({ data }) => data)).toEqual([]);
  });

  it('is known on another instance that has cached the principal, for tokens and keys', async () => {
    const leaver = await registerMember(changing, projectId, 'deployer');
    const credentials = await credentialsOf(leaver);
    for (const credential of credentials)
      expect((await on(other, credential).get(`/agents/${agentId}`)).status).toBe(200);
    await setMembership(changing, projectId, leaver, null);
    for (const credential of credentials) {
      await until(async () => (await on(other, credential).get(`/agents/${agentId}`)).status === 404);
      expectError(await on(other, credential).post(`/agents/${agentId}/deploy`), 404, 'Agent not found');
      expect((await on(other, credential).get('/agents')).body).toEqual([]);
    }
  });

  it('leaves other memberships: a member by a group too keeps the role of the group', async () => {
    const person = await registerMember(changing, projectId, 'maintainer');
    await setMembership(changing, projectId, person, 'viewer', 'group');
    const streams = await openAll(person.accessToken);
    await setMembership(changing, projectId, person, null);
    const caller = on(other, person.accessToken);
    await until(async () => (await caller.post(`/agents/${agentId}/deploy`)).status === 403);
    expect((await caller.get(`/agents/${agentId}`)).status).toBe(200);
    expect(streams.map(({ isClosed }) => isClosed)).toEqual(Array(4).fill(false));
    await setMembership(changing, projectId, person, null, 'group');
    for (const stream of streams) expect(await stream.ended()).toBe('credential');
  });
});

describe('A role that falls or rises', () => {
  it('is known on another instance, which names the role that would do', async () => {
    const person = await registerMember(changing, projectId, 'maintainer');
    for (const credential of await credentialsOf(person)) {
      await setMembership(changing, projectId, person, 'maintainer');
      const caller = on(other, credential);
      const rename = () => caller.patch(`/agents/${agentId}`, { name: 'renamed' });
      await until(async () => (await rename()).status === 200);
      await setMembership(changing, projectId, person, 'deployer');
      await until(async () => (await rename()).status === 403);
      expectError(await rename(), 403, 'Missing role: maintainer');
      expect((await caller.post(`/agents/${agentId}/deploy`)).status).toBe(200);
      await setMembership(changing, projectId, person, 'viewer');
      await until(async () => (await caller.post(`/agents/${agentId}/deploy`)).status === 403);
      expectError(await caller.post(`/agents/${agentId}/deploy`), 403, 'Missing role: deployer');
    }
  });
});

describe('A revoked key of a project', () => {
  it('ends the streams that were opened with it on another instance', async () => {
    const body = { name: 'ci', project_id: projectId, role: 'viewer' };
    const { id, key } = (await owner.api.post('/api-keys', body)).body;
    const streams = await openAll(key);
    await owner.api.delete(`/api-keys/${id}`);
    for (const stream of streams) expect(await stream.ended()).toBe('credential');
  });
});

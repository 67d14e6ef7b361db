import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { askApproval, bodyOf, decide, decided } from './builders/approvals.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject, createProjectKey, registerMember } from './builders/projects.js';
import { ask, claim, createWorker } from './builders/runs.js';
import type { ApiClient } from './harness/api-client.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

interface Key {
  readonly id: string;
  readonly api: ApiClient;
}

let app: TestApp;
let operator: Person;
let owner: Person;
let member: Person;
let projectId: string;

beforeAll(async () => {
  app = await startTestApp();
  operator = await registerOperator(app);
  owner = await registerPerson(app);
  projectId = await createProject(owner);
  member = await registerMember(app, projectId, 'deployer');
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await app.close();
});

async function keyOf(person: Person, name: string, scopes?: readonly string[]): Promise<Key> {
  const { id, key } = bodyOf(await person.api.post('/api-keys', { name, scopes }), 201);
  return { id, api: app.api.as(key) };
}

const named = ({ actor, actor_name, actor_email }: any) => ({ actor, actor_name, actor_email });

/** The actors of acts on an agent, a deployment and a run, from each place. */
async function shownTo(
  reader: Pick<Person, 'api'>,
  ids: Readonly<Record<'agent' | 'deployment' | 'run', string>>,
) {
  const read = async (path: string) => bodyOf(await reader.api.get(path), 200);
  const [steps, timeline, versions, version, runSteps, run, runs] = [
    (await read(`/deployments/${ids.deployment}/events`)).items,
    (await read(`/agents/${ids.agent}/timeline`)).items,
    await read(`/agents/${ids.agent}/configs`),
    await read(`/agents/${ids.agent}/configs/1`),
    await read(`/runs/${ids.run}/events`),
    await read(`/runs/${ids.run}`),
    await read(`/runs?agent_id=${ids.agent}`),
  ];
  return [
    steps[0],
    timeline.find(({ kind }: any) => kind === 'config'),
    versions[0],
    version,
    runSteps.at(-1),
    run,
    runs[0],
  ].map(named);
}

describe('An act by an API key', () => {
  let key: Key;
  let ids: Record<'agent' | 'deployment' | 'run', string>;

  beforeAll(async () => {
    key = await keyOf(owner, 'nightly');
    const agent = bodyOf(await key.api.post('/agents', { name: 'sorter', project_id: projectId }), 201);
    const deployment = bodyOf(await key.api.post(`/agents/${agent.id}/deploy`), 200);
    const run = bodyOf(await key.api.post(`/agents/${agent.id}/runs`, { input: 1 }), 201);
    ids = { agent: agent.id, deployment: deployment.id, run: run.id };
  });

  it("is the key's in histories, versions and the audit log, which name the key and its person to members", async () => {
    const expected = { actor: `key:${key.id}`, actor_name: 'nightly', actor_email: owner.email };
    for (const reader of [owner, member]) {
      const shown = await shownTo(reader, ids);
      expect(shown).toEqual(shown.map(() => expected));
    }
    const entries = bodyOf(await owner.api.get(`/audit?actor=key:${key.id}`), 200);
    expect(entries.map(({ action }: any) => action)).toEqual(['run.create', 'agent.deploy', 'agent.create']);
    expect(entries.map(named)).toEqual([expected, expected, expected]);
    const lines = await owner.api.get(`/audit?actor=key:${key.id}`, {
      headers: { accept: 'application/x-ndjson' },
    });
    expect(named(JSON.parse(String(lines.body).split('\n')[0]!))).toEqual(expected);
  });

  it('is named in pauses and budgets, too', async () => {
    bodyOf(await key.api.post(`/agents/${ids.agent}/pause`, { reason: 'a look' }), 200);
    const [pause] = bodyOf(await member.api.get(`/pauses?agent_id=${ids.agent}`), 200);
    expect(named(pause)).toEqual({
      actor: `key:${key.id}`,
      actor_name: 'nightly',
      actor_email: owner.email,
    });
    bodyOf(await key.api.post(`/agents/${ids.agent}/resume`), 200);
    const terms = { name: 'calls', project_id: projectId, period: 'day', limit: { llm_calls: 5 } };
    const { id } = bodyOf(await key.api.post('/budgets', terms), 201);
    const expected = { id, created_by_name: 'nightly', created_by_email: owner.email };
    expect(bodyOf(await member.api.get(`/budgets/${id}`), 200)).toMatchObject(expected);
    expect(bodyOf(await member.api.get(`/budgets?project_id=${projectId}`), 200)).toMatchObject([expected]);
  });

  it('keeps its actor, without names, when the key is deleted', async () => {
    const [gone] = [await keyOf(owner, 'gone')];
    const id = bodyOf(await gone.api.post('/agents', { project_id: projectId }), 201).id;
    await app.database.query('DELETE FROM api_keys WHERE id = $1', [gone.id]);
    const [version] = bodyOf(await owner.api.get(`/agents/${id}/configs`), 200);
    expect(named(version)).toEqual({ actor: `key:${gone.id}`, actor_name: null, actor_email: null });
  });

  it('has the name of a key of the project, and of the member who made it', async () => {
    const ci = app.api.as(await createProjectKey(owner, projectId, 'deployer'));
    const { id } = bodyOf(await ci.post('/agents/' + ids.agent + '/runs', { input: 2 }), 201);
    const { actor, ...names } = named(bodyOf(await member.api.get(`/runs/${id}/events`), 200)[0]);
    expect(actor).toMatch(/^key:/);
    expect(names).toEqual({ actor_name: 'ci deployer', actor_email: owner.email });
  });

  it('replays the reply of a request with the same Idempotency-Key before the key was rotated', async () => {
    const options = { headers: { 'idempotency-key': 'across credentials' } };
    const first = await key.api.post('/agents', { project_id: projectId }, options);
    const again = await owner.api.post('/agents', { project_id: projectId }, options);
    expect([again.body.id, again.headers.get('idempotency-replayed')]).toEqual([first.body.id, 'true']);
  });
});

describe('The name beside an actor', () => {
  it('is visible to members of a project of the person, and to operators', async () => {
    const agent = await createAgent(app, owner, { project_id: projectId });
    const id = await deploy(owner, agent);
    bodyOf(await operator.api.post(`/deployments/${id}/stop`), 200);
    const actorsFor = async ({ api }: Person) =>
      bodyOf(await api.get(`/deployments/${id}/events`), 200).items.map(
        ({ actor_email }: any) => actor_email,
      );
    expect(await actorsFor(member)).toEqual([null, owner.email]);
    expect(await actorsFor(operator)).toEqual([operator.email, owner.email]);
  });

  it('stands next to targets in the audit log: agents, what belongs to them, keys and people', async () => {
    const agent = await createAgent(app, owner, { name: 'target', project_id: projectId });
    const run = bodyOf(await member.api.post(`/agents/${agent.id}/runs`, { input: 1 }), 201);
    const key = await keyOf(owner, 'a target, too');
    const namesFor = async ({ api }: Person, id: string) =>
      bodyOf(await api.get(`/audit?target_id=${id}`), 200).map(({ target_name: name }: any) => name);
    expect(await namesFor(owner, agent.id)).toEqual(['target']);
    // a member is no owner, and reads what they did themselves
    for (const reader of [owner, member]) expect(await namesFor(reader, run.id)).toEqual(['target']);
    expect(await namesFor(owner, key.id)).toEqual(['a target, too']);
    expect(await namesFor(owner, owner.id)).toContain(owner.email);
    const gone = await createAgent(app, owner, { name: 'removed', project_id: projectId });
    bodyOf(await owner.api.post(`/agents/${gone.id}/stop`), 200);
    bodyOf(await owner.api.delete(`/agents/${gone.id}`), 204);
    await app.database.query('DELETE FROM agents WHERE id = $1', [gone.id]);
    // agent.delete, agent.stop, agent.create
    expect(await namesFor(owner, gone.id)).toEqual(['removed', null, 'removed']);
  });

  it("is that of an agent, in the audit log of its project's owner", async () => {
    const agent = await createAgent(app, owner, { name: 'renamed', project_id: projectId });
    await agent.runtime.post('/agents/register', { name: 'own words' });
    const entries = bodyOf(await owner.api.get(`/audit?actor=agent:${agent.id}`), 200);
    expect(entries.map(named)).toEqual([
      { actor: `agent:${agent.id}`, actor_name: 'own words', actor_email: null },
    ]);
  });
});

describe('Where two people approve, a key', () => {
  let worker: TestAgent;

  beforeAll(async () => {
    bodyOf(await owner.api.patch(`/projects/${projectId}`, { two_approvers_for: 'high' }), 200);
    worker = await createWorker(app, owner, { project_id: projectId });
  });

  async function askedBy(api: ApiClient) {
    await ask({ api } as Person, worker);
    const [run] = await claim(worker);
    return askApproval(worker, { run_id: run!.run_id, risk: 'high' });
  }

  /** The actors in the list and in the approval itself, for a reader. */
  async function isAskedBy({ api }: Person, { id }: { id: string }): Promise<boolean> {
    const shown = bodyOf(await api.get(`/approvals/${id}`), 200).asked_by_caller;
    const listed = bodyOf(await api.get(`/approvals?project_id=${projectId}`), 200);
    expect(listed.find((approval: any) => approval.id === id).asked_by_caller).toBe(shown);
    return shown;
  }

  it('that made the schedule of the run counts as the person who asked for it', async () => {
    const { api } = await keyOf(member, 'scheduling');
    const path = `/agents/${worker.id}/schedules`;
    const schedule = bodyOf(await api.post(path, { name: 'daily', every_seconds: 86_400 }), 201);
    bodyOf(await owner.api.post(`/schedules/${schedule.id}/trigger`), 201);
    const [run] = await claim(worker);
    const asked = await askApproval(worker, { run_id: run!.run_id, risk: 'high' });
    const other = await registerMember(app, projectId, 'deployer');
    expect(await isAskedBy(member, asked)).toBe(true);
    expect(await isAskedBy(other, asked)).toBe(false);
  });

  it('that asked for the run counts as its person, who may not approve; a deleted key blocks all approvers', async () => {
    const asking = await keyOf(member, 'asking');
    const asked = await askedBy(asking.api);
    const self = { api: (await keyOf(member, 'approving', ['approve'])).api };
    expect([await isAskedBy(member, asked), await isAskedBy(owner, asked)]).toEqual([true, false]);
    for (const caller of [member, self])
      expectError(
        await decide(caller, asked),
        403,
        "The requester of the run can't approve its actions: another person must decide",
      );
    await app.database.query('DELETE FROM api_keys WHERE id = $1', [asking.id]);
    for (const caller of [member, owner])
      expectError(await decide(caller, asked), 403, /the schedule or key was deleted/);
    expect((await decided(member, asked, { decision: 'reject' })).state).toBe('rejected');
  });

  it("that approved counts as its person, who can't be the second one", async () => {
    const other = await registerMember(app, projectId, 'deployer');
    const asked = await askedBy(other.api);
    const first = { api: (await keyOf(member, 'first', ['approve'])).api };
    expect(await decided(first, asked)).toMatchObject({ first_approved_by: `user:${member.id}` });
    expectError(await decide(member, asked), 409);
    const second = await keyOf(owner, 'second', ['approve']);
    expect(await decided({ api: second.api }, asked)).toMatchObject({
      state: 'approved',
      decided_by: `key:${second.id}`,
    });
    expect(bodyOf(await other.api.get(`/approvals/${asked.id}`), 200)).toMatchObject({
      first_approved_by_email: member.email,
      decided_by_name: 'second',
      decided_by_email: owner.email,
    });
  });
});

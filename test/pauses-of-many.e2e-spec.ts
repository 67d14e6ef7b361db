import { Database } from '../src/database/database.js';
import type { Transaction } from '../src/database/transaction.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { PauseGroupsService } from '../src/pauses/pause-groups.service.js';
import { BudgetPausesService } from '../src/pauses/budget-pauses.service.js';
import { createAgent, deploy, obey, poll, type TestAgent } from './builders/agents.js';
import { endPause, pause, pauseAll, readAgent, resume } from './builders/pauses.js';
import { type Person, registerPerson } from './builders/people.js';
import { addMember, createProject } from './builders/projects.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { untilSomeoneWaits, whileGated } from './harness/held-lock.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  other = await startTestApp({ database: app.database });
  person = await registerPerson(app);
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await other.close();
  await app.close();
});

/** An agent with a running deployment. */
async function working(body: object = {}, owner = person): Promise<TestAgent> {
  const agent = await createAgent(app, owner, body);
  await deploy(owner, agent);
  await obey(agent);
  return agent;
}

const pausedOf = async (agent: TestAgent) => (await readAgent(person, agent)).paused;

describe('A pause of many agents', () => {
  it('reaches all with the label and the type, and its end resumes exactly those', async () => {
    const labels = { team: 'billing' };
    const matching = [await working({ labels, type: 'reader' }), await working({ labels, type: 'reader' })];
    const others = [await working({ type: 'reader' }), await working({ labels, type: 'writer' })];
    const made = await pauseAll(person, { label: 'team:billing', type: 'reader', reason: 'Nonsense' });
    expect(made).toMatchObject({
      agents: 2,
      holding: 2,
      agent_id: null,
      label: 'team:billing',
      type: 'reader',
    });
    for (const agent of matching) expect(await pausedOf(agent)).toMatchObject({ pause_id: made.id });
    for (const agent of others) expect(await pausedOf(agent)).toBeNull();
    for (const agent of matching) expect(await obey(agent)).toEqual(['scale']);
    expect((await person.api.get('/pauses?is_open=true')).body).toMatchObject([
      { id: made.id, holding: 2, confirmed: 2 },
    ]);
    await endPause(person, made);
    for (const agent of matching) {
      expect(await pausedOf(agent)).toBeNull();
      expect(await obey(agent)).toEqual(['scale']);
    }
    for (const agent of others) expect(await poll(agent)).toEqual([]);
    await endPause(person, made);
  });

  it('is over at once where nothing matches', async () => {
    expect(await pauseAll(person, { label: 'no:body' })).toMatchObject({
      agents: 0,
      ended_at: expect.any(String),
    });
  });

  it('holds together with others until the last of them ends', async () => {
    const agent = await working({ type: 'twice' });
    const own = await pause(person, agent, { reason: 'first' });
    const all = await pauseAll(person, { type: 'twice', reason: 'second' });
    expect(await obey(agent)).toEqual(['scale']);
    expect(await pausedOf(agent)).toMatchObject({ pause_id: own.id, reason: 'first' });
    await endPause(person, own);
    expect(await readAgent(person, agent)).toMatchObject({
      paused: { pause_id: all.id, reason: 'second', confirmed_at: expect.any(String) },
      health: { state: 'paused', reason: 'Paused: second' },
    });
    expect(await poll(agent)).toEqual([]);
    await endPause(person, all);
    expect(await obey(agent)).toEqual(['scale']);
    expect(await pausedOf(agent)).toBeNull();
  });

  it('lets a single agent go, and is over with the last one', async () => {
    const agents = [await working({ type: 'single' }), await working({ type: 'single' })];
    const made = await pauseAll(person, { type: 'single' });
    const openPauses = async () =>
      (await person.api.get('/pauses?is_open=true')).body.map(({ id }: { id: string }) => id);
    await resume(person, agents[0]!);
    expect(await pausedOf(agents[0]!)).toBeNull();
    expect(await pausedOf(agents[1]!)).toMatchObject({ pause_id: made.id });
    expect(await openPauses()).toEqual([made.id]);
    await Promise.all(agents.map((agent) => resume(person, agent)));
    expect(await openPauses()).toEqual([]);
  });

  it.each<[string, (agent: TestAgent) => Promise<unknown>]>([
    ['deleted', ({ id }) => person.api.delete(`/agents/${id}`)],
    [
      'handed over',
      async ({ id }) => person.api.patch(`/agents/${id}`, { project_id: await createProject(person) }),
    ],
  ])('is over where its only agent is %s while it begins', async (_, leave) => {
    const agent = await working({ type: 'leaving' });
    await whileGated(app.database, 'agent_pauses', 'commit', async (open) => {
      const pausing = pauseAll(person, { type: 'leaving' });
      await untilSomeoneWaits(app.database);
      await leave(agent);
      await open();
      const { id } = await pausing;
      const { body } = await person.api.get('/pauses?limit=100');
      expect(body.find((each: { id: string }) => each.id === id)).toMatchObject({
        holding: 0,
        ended_at: expect.any(String),
      });
    });
  });

  it('pauses 200 agents in one act on one instance, while the other takes steps of them', async () => {
    const project = await createProject(person);
    const crowd = { project_id: project, type: 'crowd' };
    const ids: string[] = [];
    while (ids.length < 200) {
      const made = await Promise.all(Array.from({ length: 10 }, () => createAgent(app, person, crowd)));
      ids.unshift(...made.map(({ id }) => id));
    }
    const elsewhere = other.api.as(person.accessToken);
    for (const id of ids.slice(0, 20)) await elsewhere.post(`/agents/${id}/deploy`);
    const steps = () => ids.slice(0, 40).map((id) => elsewhere.post(`/agents/${id}/deploy`));
    const [made, ...deploys] = await Promise.all([pauseAll(person, crowd), ...steps()]);
    expect(deploys.map(({ status }) => status)).toEqual(deploys.map(() => 200));
    expect(made).toMatchObject({ agents: 200 });
    // On a slow machine the request is answered before the last groups are done.
    const pausedIs = (count: number) =>
      until(async () => {
        const [row] = await app.database.query<{ paused: number }>(
          `SELECT count(*)::int AS paused FROM agents WHERE type = 'crowd' AND workload = 'paused'`,
        );
        return row!.paused === count;
      });
    await pausedIs(200);
    await expectCleanAudit(app.database);
    await Promise.all([endPause(person, made), ...steps()]);
    await pausedIs(0);
  });

  it('continues in the next round of the job, when its instance ends before all agents are held', async () => {
    const agents = [await working({ type: 'left' }), await working({ type: 'left' })];
    const carryOut = app.app.get(PauseGroupsService).carryOut;
    app.app.get(PauseGroupsService).carryOut = () => Promise.resolve();
    const made = await pauseAll(person, { type: 'left' });
    for (const agent of agents) expect(await pausedOf(agent)).toBeNull();
    const round = () => other.app.get(PeriodicJobs).runOnce('pauses');
    await until(round);
    for (const agent of agents) expect(await pausedOf(agent)).toMatchObject({ pause_id: made.id });
    await endPause(person, made);
    for (const agent of agents) expect(await pausedOf(agent)).not.toBeNull();
    await until(round);
    for (const agent of agents) expect(await pausedOf(agent)).toBeNull();
    app.app.get(PauseGroupsService).carryOut = carryOut;
  });
});

describe('The pause of a budget', () => {
  const budgetId = '0192f0c6-0000-7000-8000-000000000001';
  const budgets = () => app.app.get(BudgetPausesService);
  const inPeople = <Result>(work: (tx: Transaction) => Promise<Result>) =>
    app.app.get(Database).people.transaction(work);
  const begin = (agents: readonly TestAgent[]) =>
    inPeople((tx) =>
      budgets().begin(tx, {
        budgetId,
        projectId: person.id,
        agentIds: agents.map(({ id }) => id),
        reason: 'Over $20 today',
        runs: 'finish',
      }),
    );

  it('is not ended by a person, and resumes exactly the agents that it paused', async () => {
    const [agent, held] = [await working(), await working()];
    await pause(person, held);
    const id = (await begin([agent, held]))!;
    await until(async () => (await pausedOf(agent)) !== null);
    expect(await readAgent(person, agent)).toMatchObject({
      paused: { pause_id: id, by: 'budget', reason: 'Over $20 today' },
      health: { reason: 'Paused by a budget: Over $20 today' },
    });
    expect((await person.api.post(`/agents/${agent.id}/resume`)).status).toBe(400);
    expect((await person.api.delete(`/pauses/${id}`)).status).toBe(400);
    await inPeople((tx) => budgets().end(tx, id, budgetId));
    await until(async () => (await pausedOf(agent)) === null);
    expect(await pausedOf(held)).toMatchObject({ by: 'user' });
    await resume(person, held);
  });
});

describe('A paused agent', () => {
  it('stays paused by a pause of the new project after a handover; a budget of the old one lets it go', async () => {
    const project = await createProject(person);
    const agent = await working();
    const own = await pause(person, agent, { reason: 'hands off' });
    await obey(agent);
    expect((await person.api.patch(`/agents/${agent.id}`, { project_id: project })).status).toBe(200);
    const paused = await pausedOf(agent);
    expect(paused).toMatchObject({ by: 'user', reason: 'hands off' });
    expect(paused.pause_id).not.toBe(own.id);
    expect((await person.api.get(`/pauses?project_id=${project}`)).body).toMatchObject([
      { id: paused.pause_id, holding: 1, ended_at: null },
    ]);
    expect(await poll(agent)).toEqual([]);
    await resume(person, agent);
    expect(await obey(agent)).toEqual(['scale']);
  });

  it('leaves no pause behind when it is deleted', async () => {
    const agent = await working();
    const made = await pause(person, agent);
    expect((await person.api.delete(`/agents/${agent.id}`)).status).toBe(204);
    const { body } = await person.api.get('/pauses?limit=100');
    expect(body.find(({ id }: { id: string }) => id === made.id)).toMatchObject({
      holding: 0,
      ended_at: expect.any(String),
    });
  });

  it('can be resumed by a deployer, and neither by a viewer nor by a stranger', async () => {
    const project = await createProject(person);
    const agent = await working({ project_id: project });
    const viewer = await addMember(app, person, project, 'viewer');
    const stranger = await registerPerson(app);
    const made = await pauseAll(person, { project_id: project });
    const statuses = async ({ api }: Person) => [
      (await api.post(`/agents/${agent.id}/pause`, {})).status,
      (await api.post(`/agents/${agent.id}/resume`)).status,
      (await api.post('/pauses', { project_id: project, reason: 'x' })).status,
      (await api.delete(`/pauses/${made.id}`)).status,
    ];
    expect(await statuses(viewer)).toEqual([403, 403, 403, 403]);
    expect(await statuses(stranger)).toEqual([404, 404, 404, 404]);
    expect((await viewer.api.get(`/pauses?project_id=${project}`)).body).toMatchObject([{ id: made.id }]);
    expect((await stranger.api.get('/pauses')).body).toEqual([]);
    const deployer = await addMember(app, person, project, 'deployer');
    expect(await statuses(deployer)).toEqual([200, 200, 201, 204]);
  });
});

import { createAgent, type TestAgent } from './builders/agents.js';
import { pause, pauseAll } from './builders/pauses.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, registerMember } from './builders/projects.js';
import { statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let owner: Person;
let projectId: string;
let reader: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  owner = await registerPerson(app);
  projectId = await createProject(owner);
  reader = await createAgent(app, owner, { project_id: projectId, name: 'invoice-reader' });
});

afterAll(() => app.close());

const limited = { period: 'day', limit: { llm_calls: 5 } };

async function createBudget(body: object): Promise<any> {
  const reply = await owner.api.post('/budgets', { project_id: projectId, ...limited, ...body });
  expect(reply.status).toBe(201);
  return reply.body;
}

/** What a list of pauses or budgets says about the agent of one. */
async function namedIn({ api }: Person, list: string, { id }: { readonly id: string }): Promise<any> {
  const { status, body } = await api.get(`/${list}?project_id=${projectId}&limit=100`);
  expect(status).toBe(200);
  const { agent_id, agent_name } = body.find((row: { readonly id: string }) => row.id === id);
  return { agent_id, agent_name };
}

/** A pause or a budget, made for an agent or for several. */
const KINDS = [
  ['pauses', (agent: TestAgent) => pause(owner, agent), () => pauseAll(owner, { project_id: projectId })],
  [
    'budgets',
    ({ id }: TestAgent) => createBudget({ name: 'of one', agent_id: id, project_id: undefined }),
    () => createBudget({ name: 'of a label', label: 'team:billing' }),
  ],
] as const;

describe.each(KINDS)('The list of %s', (list, createForOne, createForSeveral) => {
  it('has the name of its agent, which the reply of the request has as well', async () => {
    const made = await createForOne(reader);
    const named = { agent_id: reader.id, agent_name: 'invoice-reader' };
    expect(made).toMatchObject(named);
    expect(await namedIn(owner, list, made)).toEqual(named);
  });

  it('has no name if several agents are meant', async () => {
    const made = await createForSeveral();
    expect(made).toMatchObject({ agent_id: null, agent_name: null });
    expect(await namedIn(owner, list, made)).toEqual({ agent_id: null, agent_name: null });
  });

  it('hides the name of an agent that another project has now', async () => {
    const agent = await createAgent(app, owner, { project_id: projectId, name: 'before' });
    const made = await createForOne(agent);
    const elsewhere = await createProject(owner);
    const moved = await owner.api.patch(`/agents/${agent.id}`, { project_id: elsewhere, name: 'secret' });
    expect(moved.status).toBe(200);
    const member = await registerMember(app, projectId, 'viewer');
    expect(await namedIn(member, list, made)).toEqual({ agent_id: agent.id, agent_name: null });
  });

  it('sends as many statements for several agents as for one', async () => {
    const statements = (limit: number) =>
      statementsOf(app, () => owner.api.get(`/${list}?project_id=${projectId}&limit=${limit}`));
    await createForOne(await createAgent(app, owner, { project_id: projectId }));
    expect((await statements(3)).length).toBe((await statements(1)).length);
  });
});

it('An agent’s name stands in its budget, also after a change of the budget', async () => {
  const { id } = await createBudget({ name: 'changed', agent_id: reader.id, project_id: undefined });
  const { body } = await owner.api.patch(`/budgets/${id}`, { name: 'changed again' });
  expect(body).toMatchObject({ name: 'changed again', agent_name: 'invoice-reader' });
  expect((await owner.api.get(`/budgets/${id}`)).body.agent_name).toBe('invoice-reader');
});

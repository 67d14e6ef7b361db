import { askApproval, decided, type TestApproval, workingOn } from './builders/approvals.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import type { ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
});

beforeEach(async () => {
  person = await registerPerson(app);
  agent = await createAgent(app, person, { name: 'asking' });
});

afterAll(() => app.close());

async function askTimes(count: number): Promise<TestApproval[]> {
  const asked: TestApproval[] = [];
  for (let time = 0; time < count; time++) asked.push(await askApproval(agent, { title: `no. ${time}` }));
  return asked;
}

const titles = (rows: readonly TestApproval[]) => rows.map(({ title }) => title);

/** Reads a list to its end by its `Link` headers, and does something between each two pages. */
async function readAll(path: string, between: (page: number) => Promise<void>): Promise<TestApproval[]> {
  const rows: TestApproval[] = [];
  let next: string | undefined = path;
  for (let page = 0; next !== undefined; page++) {
    if (page > 0) await between(page);
    const { body, headers }: ApiReply<any> = await person.api.get(next);
    rows.push(...body);
    next = /<([^>]*)>/.exec(headers.get('link') ?? '')?.[1];
  }
  return rows;
}

describe('A list of approvals', () => {
  it('leaves none out that waits or is decided, while its last row and others are decided between pages', async () => {
    const asked = await askTimes(9);
    await decided(person, asked[0]!, { decision: 'reject' });
    await decided(person, asked[7]!, { decision: 'reject' });
    // The first page ends with number 2, the second one with number 4.
    const meanwhile = [[2, 1], [4, 6], [], [], [], []];
    const rows = await readAll('/approvals?limit=2', async (page) => {
      for (const place of meanwhile[page - 1] ?? []) await decided(person, asked[place]!);
    });
    expect(new Set(titles(rows))).toEqual(new Set(titles(asked)));
    expect(titles(rows).slice(0, 5)).toEqual(['no. 1', 'no. 2', 'no. 3', 'no. 4', 'no. 5']);
  });

  it('of waiting ones is complete', async () => {
    const asked = await askTimes(5);
    const rows = await readAll('/approvals?state=pending&limit=2', async (page) => {
      await decided(person, asked[page * 2 - 1]!);
    });
    expect(titles(rows)).toEqual(titles(asked));
  });

  it('has those of one run, if the request names it', async () => {
    const { worker, runId } = await workingOn(app, person);
    const asked = await askApproval(worker, { run_id: runId });
    await askApproval(worker);
    const { body } = await person.api.get(`/approvals?run_id=${runId}`);
    expect(body.map(({ id }: TestApproval) => id)).toEqual([asked.id]);
  });
});

describe('The overview of approvals', () => {
  const overview = async (who: Person, query = '') => {
    const { pending_approvals, agents_with_pending_approvals } = (await who.api.get(`/overview${query}`))
      .body;
    return { pending_approvals, agents_with_pending_approvals };
  };

  it('counts waiting approvals by agent, the longest waiting first', async () => {
    const [first] = await askTimes(3);
    const other = await createAgent(app, person, { name: 'other' });
    const later = await askApproval(other);
    expect(await overview(person)).toEqual({
      pending_approvals: 4,
      agents_with_pending_approvals: [
        { agent_id: agent.id, agent_name: 'asking', approvals: 3, at: first!.requested_at },
        { agent_id: other.id, agent_name: 'other', approvals: 1, at: later.requested_at },
      ],
    });
    await decided(person, first!);
    await person.api.delete(`/agents/${other.id}`);
    expect(await overview(person)).toMatchObject({
      pending_approvals: 2,
      agents_with_pending_approvals: [{ agent_id: agent.id, approvals: 2 }],
    });
  });

  it("covers the caller's projects, or the named one", async () => {
    const project_id = await createProject(person);
    await askApproval(await createAgent(app, person, { project_id }));
    await askTimes(1);
    expect((await overview(person)).pending_approvals).toBe(2);
    expect((await overview(person, `?project_id=${project_id}`)).pending_approvals).toBe(1);
    const operator = await registerOperator(app);
    expect((await overview(operator)).pending_approvals).toBe(0);
  });
});

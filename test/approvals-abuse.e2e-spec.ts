import {
  askApproval,
  bodyOf,
  decide,
  decided,
  fetchAnswer,
  question,
  workingOn,
} from './builders/approvals.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, registerMember, setMembership } from './builders/projects.js';
import { claim, createWorker, readRun, tell } from './builders/runs.js';
import { createSchedule, lookAtClock, makeDue } from './builders/schedules.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { withinASecond } from './harness/within-a-second.js';

/** Number of questions that an agent may ask in an hour. */
const AN_HOUR = 1_000;
const MEGABYTE = 1_048_576;

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

const twoFor = async (projectId: string) =>
  bodyOf(await person.api.patch(`/projects/${projectId}`, { two_approvers_for: 'high' }), 200);

/** Copies a question of an agent, as if it had asked so often. */
const copies = ({ id }: { readonly id: string }, count: number) =>
  app.database.query(
    `INSERT INTO approvals SELECT copy.* FROM approvals AS asked CROSS JOIN generate_series(1, $2::int) AS n
     CROSS JOIN LATERAL jsonb_populate_record(asked,
       jsonb_build_object('id', gen_random_uuid(), 'approval_key', 'copy ' || n)) AS copy WHERE asked.id = $1`,
    [id, count],
  );

describe('An agent that asks without end', () => {
  it('is refused after a thousand questions in an hour, although it has withdrawn them all', async () => {
    const agent = await createAgent(app, person);
    const asked = await askApproval(agent);
    await agent.runtime.post(`/agents/approvals/${asked.id}/withdraw`);
    await copies(asked, AN_HOUR - 2);
    const body = question();
    await askApproval(agent, body);
    const refused = await agent.runtime.post('/agents/approvals', question());
    expectError(
      refused,
      429,
      `The agent has asked ${AN_HOUR} questions within an hour, the maximum: ask again later`,
    );
    expect(refused.headers.get('retry-after')).toBe('60');
    // A question that was asked before is found all the same.
    await askApproval(agent, body);
    await askApproval(await createAgent(app, person));
    await app.database.query(
      "UPDATE approvals SET requested_at = requested_at - interval '61 minutes' WHERE id = $1",
      [asked.id],
    );
    await askApproval(agent);
  });
});

describe('A question with a text that is to deceive', () => {
  it.each([
    ['markup', '<script>alert(1)</script> **bold** [link](http://x) <@all>'],
    ['escapes of terminals', 'Pay \u001b[2J\u001b]8;;http://x\u0007 \u0008\u0008 now'],
  ])('is given back as it was asked: %s', async (_, text) => {
    const agent = await createAgent(app, person);
    const action = { name: text, args: { [text]: text } };
    const sent = { title: text, description: text, action, approval_key: text };
    const asked = await askApproval(agent, sent);
    expect(bodyOf(await person.api.get(`/approvals/${asked.id}`), 200)).toMatchObject(sent);
  });

  it('is refused where its title would be read in another order, and keeps marks of direction elsewhere', async () => {
    const agent = await createAgent(app, person);
    const text = 'Pay \u202e0001\u202c euros \u200b';
    const args = { text };
    const ask = (body: object) => agent.runtime.post('/agents/approvals', question(body));
    expectError(await ask({ title: text }), 422);
    expectError(await ask({ action: { name: text, args } }), 422);
    const asked = await askApproval(agent, { description: text, action: { name: 'pay', args } });
    expect(asked).toMatchObject({ description: text, action: { args } });
  });

  it('is refused with a megabyte of text in any place, and the agent continues', async () => {
    const agent = await createAgent(app, person);
    const text = 'x'.repeat(MEGABYTE);
    for (const body of [
      { title: text },
      { description: text },
      { approval_key: text },
      { action: { name: text } },
      { action: { name: 'x', args: text } },
    ])
      expectError(await agent.runtime.post('/agents/approvals', question(body)), 413);
    const half = 'x'.repeat(MEGABYTE / 2);
    expectError(await agent.runtime.post('/agents/approvals', question({ title: half })), 422);
    const asked = await askApproval(agent);
    expectError(await decide(person, asked, { decision: 'reject', reason: half }), 422);
    expectError(await decide(person, asked, { decision: 'edit', edited_args: half }), 422);
  });
});

describe('A run that waits for an answer', () => {
  it('waits on although its agent reports progress', async () => {
    const { worker, runId } = await workingOn(app, person);
    const asked = await askApproval(worker, { run_id: runId });
    await tell(worker, { run_id: runId, status: 'running', progress: { percent: 50 } });
    expect(await readRun(person, runId)).toMatchObject({
      status: 'waiting',
      waiting_reason: 'Approval: Pay invoice 4711',
      progress: { percent: 50 },
    });
    await decided(person, asked);
    await fetchAnswer(worker, asked.id);
    expect((await readRun(person, runId)).status).toBe('running');
  });
});

describe('A decision of somebody who may not any more', () => {
  it('is refused on any instance within a second after the role was lowered', async () => {
    const projectId = await createProject(person);
    const asked = await askApproval(await createAgent(app, person, { project_id: projectId }));
    const member = await registerMember(app, projectId, 'deployer');
    const answer = async () => {
      // A wrong hash: who still may decide gets a 409.
      const body = { args_sha256: '0'.repeat(64) };
      return (await decide({ api: other.api.as(member.accessToken) }, asked, body)).status;
    };
    expect(await answer()).toBe(409);
    await setMembership(app, projectId, member, 'viewer');
    await withinASecond(async () => (await answer()) === 403);
  });

  it('does not count as the first of two', async () => {
    const projectId = await createProject(person);
    await twoFor(projectId);
    const agent = await createAgent(app, person, { project_id: projectId });
    const [one, two] = [
      await registerMember(app, projectId, 'deployer'),
      await registerMember(app, projectId, 'deployer'),
    ];
    const third = await registerMember(app, projectId, 'deployer');
    const asked = await askApproval(agent, { risk: 'high' });
    await decided(one, asked);
    await setMembership(app, projectId, one, 'viewer');
    expect(await decided(two, asked)).toMatchObject({
      state: 'pending',
      first_approved_by: `user:${two.id}`,
    });
    expect((await decided(third, asked)).state).toBe('approved');
  });
});

describe('An open question', () => {
  it('moves with its agent to another project: its people decide, the former ones no longer', async () => {
    const [from, to] = [await createProject(person), await createProject(person)];
    await twoFor(from);
    await twoFor(to);
    const agent = await createAgent(app, person, { project_id: from });
    const [left, right] = [
      await registerMember(app, from, 'deployer'),
      await registerMember(app, to, 'deployer'),
    ];
    const asked = await askApproval(agent, { risk: 'high' });
    await decided(left, asked, { decision: 'approve' });
    expect((await person.api.patch(`/agents/${agent.id}`, { project_id: to })).status).toBe(200);
    expectError(await decide(left, asked), 404, 'Approval not found');
    expect(bodyOf(await left.api.get('/approvals'), 200)).toEqual([]);
    // Nobody of the new project has approved it yet.
    expect(await decided(right, asked)).toMatchObject({
      state: 'pending',
      project_id: to,
      first_approved_by: `user:${right.id}`,
    });
    const waiting = fetchAnswer(agent, asked.id, 30);
    expect((await decided(person, asked)).state).toBe('approved');
    expect((await waiting).state).toBe('approved');
  });

  it("can't be decided or answered after its agent's deletion; its project can't be deleted before", async () => {
    const projectId = await createProject(person);
    const agent = await createAgent(app, person, { project_id: projectId });
    const asked = await askApproval(agent);
    expectError(await person.api.delete(`/projects/${projectId}`), 409);
    const waiting = agent.runtime.get(`/agents/approvals/${asked.id}?wait=30`);
    expect((await person.api.delete(`/agents/${agent.id}`)).status).toBe(204);
    expect([200, 401]).toContain((await waiting).status);
    expectError(await decide(person, asked), 404);
    expectError(await person.api.get(`/approvals/${asked.id}`), 404);
    expect(bodyOf(await person.api.get(`/approvals?project_id=${projectId}`), 200)).toEqual([]);
    await withinASecond(
      async () => (await other.api.as(agent.key).get(`/agents/approvals/${asked.id}`)).status === 401,
    );
  });
});

describe('The runs of a schedule, where two people approve', () => {
  async function scheduled(maker: Person, worker: TestAgent) {
    const { id } = await createSchedule(maker, worker);
    await makeDue(app, id, 1);
    await lookAtClock(app);
    const [run] = await claim(worker);
    return { id, asked: await askApproval(worker, { run_id: run!.run_id, risk: 'high' }) };
  }

  it('are approved neither by the maker of the schedule, nor by a person who has changed it, nor after its deletion', async () => {
    const projectId = await createProject(person);
    await twoFor(projectId);
    const member = () => registerMember(app, projectId, 'deployer');
    const [maker, changer, one, two] = [await member(), await member(), await member(), await member()];
    const worker = await createWorker(app, person, { project_id: projectId });
    const { id, asked } = await scheduled(maker, worker);
    const refusal = "The requester of the run can't approve its actions: another person must decide";
    expectError(await decide(maker, asked), 403, refusal);
    expect((await decided(changer, asked)).state).toBe('pending');
    expect((await changer.api.patch(`/schedules/${id}`, { input: { evil: true } })).status).toBe(200);
    expectError(await decide(changer, asked), 403, refusal);
    expectError(await decide(maker, asked), 403, refusal);
    expect(await decided(one, asked)).toMatchObject({ first_approved_by: `user:${one.id}` });
    await maker.api.delete(`/schedules/${id}`);
    const gone =
      'The requester of the run is unknown, because the schedule or key was deleted or its creator was not recorded: reject the approval, or request another run';
    for (const each of [maker, two]) expectError(await decide(each, asked), 403, gone);
    expect((await decided(maker, asked, { decision: 'reject' })).state).toBe('rejected');
  });
});

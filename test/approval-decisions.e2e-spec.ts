import { askApproval, bodyOf, decide, decided, fetchAnswer, workingOn } from './builders/approvals.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject, createProjectKey, registerMember, setMembership } from './builders/projects.js';
import { createWebhook, settled, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';
import { withinASecond } from './harness/within-a-second.js';

const WAIT_SECONDS = 60;

let app: TestApp;
let other: TestApp;
let operator: Person;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  const settings = { ...WEBHOOK_SETTINGS, WEB_PUBLIC_URL: 'https://control.example.com' };
  app = await startTestApp({ settings });
  other = await startTestApp({ database: app.database, settings });
  operator = await registerOperator(app);
  person = await registerPerson(app);
  agent = await createAgent(app, person, { name: 'payer' });
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await other.close();
  await app.close();
});

describe('A decision', () => {
  it.each([
    [{ decision: 'approve' }, { state: 'approved', reason: null, edited_args: null, response: null }],
    [
      { decision: 'edit', edited_args: { euros: 20 }, reason: 'less' },
      { state: 'edited', reason: 'less', edited_args: { euros: 20 } },
    ],
    [
      { decision: 'reject', reason: 'no' },
      { state: 'rejected', reason: 'no' },
    ],
    [
      { decision: 'respond', response: 'Ask again' },
      { state: 'responded', response: 'Ask again' },
    ],
  ])('gets to the agent as it was made: %j', async (body, expected) => {
    const asked = await askApproval(agent);
    const shown = { ...expected, decided_by: `user:${person.id}`, action: asked.action };
    expect(await decided(person, asked, body)).toMatchObject(shown);
    expect(await fetchAnswer(agent, asked.id)).toMatchObject(shown);
  });

  it('counts once: a later one is a 409 that names the first', async () => {
    const asked = await askApproval(agent);
    await decided(person, asked, { decision: 'reject' });
    for (const decision of ['approve', 'reject'])
      expectError(
        await decide(person, asked, { decision }),
        409,
        `The approval is rejected already by user:${person.id}`,
      );
  });

  it('is refused for other arguments, a decision that the agent does not understand, or one that lacks its words', async () => {
    const asked = await askApproval(agent, { allowed_decisions: ['approve', 'edit'] });
    expectError(await decide(person, asked, { args_sha256: '0'.repeat(64) }), 409);
    expectError(await decide(person, asked, { decision: 'reject' }), 400);
    expectError(await decide(person, asked, { decision: 'edit' }), 422);
    expectError(await decide(person, asked, { edited_args: 1 }), 422);
    expectError(await decide(person, asked, { response: 'x' }), 422);
    expect((await fetchAnswer(agent, asked.id)).state).toBe('pending');
    await decided(person, asked);
  });

  it('needs the scope by name, which a key with * does not have', async () => {
    const asked = await askApproval(agent);
    const keyOf = async (scopes: string[]) =>
      app.api.as((await person.api.post('/api-keys', { name: 'k', scopes })).body.key);
    for (const scopes of [['*'], ['read', 'deploy']])
      expectError(await decide({ api: await keyOf(scopes) }, asked), 403, 'Missing scope: approve');
    expectError(await decide({ api: agent.runtime }, asked), 401);
    await decided({ api: await keyOf(['approve']) }, asked);
  });

  it('is refused after the end of the key, the membership or the account, on any instance', async () => {
    const projectId = await createProject(person);
    const asking = await createAgent(app, person, { project_id: projectId });
    const asked = await askApproval(asking);
    const member = await registerMember(app, projectId, 'deployer');
    const left = await registerMember(app, projectId, 'deployer');
    const scopes = { name: 'k', scopes: ['approve'] };
    const { id, key } = (await member.api.post('/api-keys', scopes)).body;
    // A wrong hash: who still may decide gets a 409.
    const answer = async (credential: string) =>
      (await decide({ api: other.api.as(credential) }, asked, { args_sha256: '0'.repeat(64) })).status;
    for (const credential of [key, left.accessToken, member.accessToken])
      expect(await answer(credential)).toBe(409);
    await member.api.delete(`/api-keys/${id}`);
    await withinASecond(async () => (await answer(key)) === 401);
    await person.api.delete(`/projects/${projectId}/members/${left.id}`);
    await withinASecond(async () => (await answer(left.accessToken)) === 404);
    await operator.api.patch(`/users/${member.id}`, { is_active: false });
    await withinASecond(async () => (await answer(member.accessToken)) === 403);
  });

  it('is made by one of two people who decide at once on two instances', async () => {
    for (let round = 0; round < 5; round++) {
      const asked = await askApproval(agent);
      const there = { api: other.api.as(person.accessToken) };
      const replies = await Promise.all([
        decide(person, asked, { decision: 'approve' }),
        decide(there, asked, { decision: 'reject' }),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
      const first = replies.find(({ status }) => status === 200)!;
      expect((await fetchAnswer(agent, asked.id)).state).toBe(first.body.state);
    }
  });

  it('reaches an agent that waits at another instance long before its wait ends', async () => {
    const asked = await askApproval(agent);
    const away = { runtime: other.api.as(agent.key) };
    const answered = fetchAnswer(away, asked.id, WAIT_SECONDS).then((answer) => ({ answer, at: Date.now() }));
    expect((await fetchAnswer(away, asked.id)).state).toBe('pending');
    await decided(person, asked);
    const decidedAt = Date.now();
    const { answer, at } = await answered;
    expect(answer.state).toBe('approved');
    // An agent that no notification reaches waits to the end, and gets the answer then.
    expect(at - decidedAt).toBeLessThan((WAIT_SECONDS * 1_000) / 2);
  });
});

describe('A project that asks two people', () => {
  async function project() {
    const projectId = await createProject(person);
    const shown = await person.api.patch(`/projects/${projectId}`, { two_approvers_for: 'high' });
    expect(shown.body.two_approvers_for).toBe('high');
    const [one, two] = [
      await registerMember(app, projectId, 'deployer'),
      await registerMember(app, projectId, 'deployer'),
    ];
    const { worker, runId } = await workingOn(app, person, { project_id: projectId });
    const ask = (risk = 'high') => askApproval(worker, { run_id: runId, risk });
    return { projectId, one, two, worker, ask };
  }

  it('needs two, other than the person who asked for the run, for this risk alone', async () => {
    const { projectId, one, two, worker, ask } = await project();
    const asked = await ask();
    expectError(
      await decide(person, asked),
      403,
      "The requester of the run can't approve its actions: another person must decide",
    );
    const key = await createProjectKey(person, projectId, 'owner', ['approve']);
    expectError(await decide({ api: app.api.as(key) }, asked), 403);
    expect(await decided(one, asked)).toMatchObject({
      state: 'pending',
      first_approved_by: `user:${one.id}`,
    });
    expectError(await decide(one, asked), 409);
    expect((await fetchAnswer(worker, asked.id)).state).toBe('pending');
    expect(await decided(two, asked)).toMatchObject({ state: 'approved', decided_by: `user:${two.id}` });
    expect((await decided(person, await ask('medium'))).state).toBe('approved');
  });

  it('needs the same arguments of both for an edit', async () => {
    const { one, two, ask } = await project();
    const asked = await ask();
    const edit = (euros: number) => ({ decision: 'edit', edited_args: { euros } });
    await decided(one, asked);
    expect((await decided(two, asked, edit(1))).state).toBe('pending');
    expect((await decided(one, asked, edit(2))).state).toBe('pending');
    expect(await decided(two, asked, edit(2))).toMatchObject({ state: 'edited', edited_args: { euros: 2 } });
  });

  it('takes the refusal of one person', async () => {
    const { one, ask } = await project();
    const asked = await ask();
    await decided(one, asked);
    expect((await decided(person, asked, { decision: 'reject' })).state).toBe('rejected');
  });
});

describe('The list of approvals', () => {
  it('has waiting ones first, then the oldest, with filters', async () => {
    const owner = await registerPerson(app);
    const asking = await createAgent(app, owner);
    const asked = [];
    for (const risk of ['low', 'high', 'low']) asked.push(await askApproval(asking, { risk }));
    const [one, two, three] = asked.map(({ id }) => id);
    await decided(owner, asked[0]!);
    const idsOf = async (query: string) =>
      bodyOf(await owner.api.get(`/approvals${query}`), 200).map(({ id }: any) => id);
    expect(await idsOf('')).toEqual([two, three, one]);
    expect(await idsOf('?state=pending')).toEqual([two, three]);
    expect(await idsOf('?risk=low')).toEqual([three, one]);
    expect(await idsOf(`?agent_id=${asking.id}&state=approved`)).toEqual([one]);
    expect(await idsOf(`?limit=1&before=${two}`)).toEqual([three]);
    expect(await idsOf(`?limit=1&before=${three}`)).toEqual([one]);
    expect(await idsOf(`?id_prefix=${two!.slice(0, 35)}`)).toEqual([two]);
  });

  it("is visible to viewers, who can't decide", async () => {
    const projectId = await createProject(person);
    const asked = await askApproval(await createAgent(app, person, { project_id: projectId }));
    const viewer = await registerMember(app, projectId, 'viewer');
    expect((await viewer.api.get(`/approvals/${asked.id}`)).status).toBe(200);
    expectError(await decide(viewer, asked), 403, 'Missing role: deployer');
    await setMembership(app, projectId, viewer, 'deployer');
    await decided(viewer, asked);
  });
});

describe('Messages', () => {
  it('name the agent, the title, the risk and the page, and quote no argument', async () => {
    const owner = await registerPerson(app);
    const asking = await createAgent(app, owner, { name: 'payer' });
    const receiver = await WebhookReceiver.start();
    const formats = ['standard', 'slack', 'text'];
    const webhooks = [];
    for (const format of formats)
      webhooks.push(
        await createWebhook(owner, `${receiver.url}/${format}`, { format, events: ['approval.*'] }),
      );
    const action = { name: 'pay', args: { iban: 'SECRET-ARGUMENT' } };
    const asked = await askApproval(asking, { action, title: 'Pay <@all>', risk: 'high' });
    const body = { decision: 'edit', edited_args: { iban: 'SECRET-ARGUMENT' } };
    await decided(owner, asked, body);
    for (const { id } of webhooks) await settled(owner, id);
    const page = `https://control.example.com/approvals/${asked.id}`;
    const bodies = (path: string) =>
      receiver.received.filter((each) => each.path.endsWith(`/${path}`)).map((each) => each.body);
    expect(bodies('text')).toContain(`payer: asks for an approval: Pay <@\u200ball> (risk: high)\n${page}`);
    expect(bodies('text')).toContain(`payer: approval edited: Pay <@\u200ball> (risk: high)\n${page}`);
    expect(bodies('slack').join()).toContain(`<${page}|Open the approval>`);
    expect(bodies('standard').join()).toContain(`"approval_url":"${page}"`);
    expect(receiver.received.map((each) => each.body).join()).not.toContain('SECRET-ARGUMENT');
    await receiver.close();
  });

  it('are sent with the entries of the audit log', async () => {
    const owner = await registerPerson(app);
    const asking = await createAgent(app, owner);
    const asked = await askApproval(asking);
    await decided(owner, asked);
    const entries = (await owner.api.get(`/audit?target_id=${asked.id}`)).body;
    expect(entries.map(({ action }: any) => action)).toEqual(['approval.decide', 'approval.request']);
    expect(JSON.stringify(entries)).not.toContain('DE02');
  });
});

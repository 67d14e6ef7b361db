import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestAgent, createAgent } from '../builders/agents.js';
import { askApproval, bodyOf, decided, fetchAnswer, type TestApproval } from '../builders/approvals.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createProject, registerMember } from '../builders/projects.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { atTerminal, itAtTerminal } from './at-terminal.js';
import { Svc } from './svc.js';

const ARGS = { to: 'DE02', euros: 120 };

let app: TestApp;
let ada: Person;
let svc: Svc;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
  agent = await createAgent(app, ada, { name: 'payer' });
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

const approvals = (...args: string[]) => svc.run(['approvals', ...args]);
const shown = (...args: string[]) => svc.json(['approvals', ...args]);
const stateOf = async ({ id }: TestApproval) => (await shown('show', id)).state;

/** `svc approvals` of the person at a terminal. */
const typed = (args: string, dialogue: Parameters<typeof atTerminal>[2]) =>
  atTerminal(`approvals ${args}`, { HOME: svc.home, SERVICE_API_URL: app.url, NO_COLOR: '1' }, dialogue);

describe('An agent that asks over plain HTTP', () => {
  it('gets exactly the arguments that a person has approved with svc', async () => {
    const asked = await askApproval(agent, { title: 'Pay invoice 4711' });
    const table = await svc.startProcess(['approvals', 'list', '--state', 'pending']).ended();
    expect(table.stdout).toMatch(
      /^APPROVAL +AGENT +ACTION +RISK +STATE +ASKED +EXPIRES +TITLE\n\S{36} +payer +send_payment +medium +pending +\S.* +in 23h +Pay invoice 4711\n$/,
    );
    const [id = ''] = /[\da-f-]{36}/.exec(table.stdout)!;
    const answer = fetchAnswer(agent, id, 30);
    const approved = await svc
      .startProcess(['approvals', 'approve', id, '--yes', '--reason', 'right'])
      .ended();
    expect(approved).toMatchObject({ code: 0, stdout: `Approved: Pay invoice 4711 (${id})\n` });
    expect(approved.stderr).toMatch(/^Arguments +\{\n +"to": "DE02",\n +"euros": 120\n +\}$/m);
    const { state, action, args_sha256, reason, decided_by } = await answer;
    expect({ state, action, reason, decided_by }).toEqual({
      ...{ state: 'approved', action: { name: 'send_payment', args: ARGS } },
      ...{ reason: 'right', decided_by: `user:${ada.id}` },
    });
    expect(args_sha256).toBe(createHash('sha256').update('{"euros":120,"to":"DE02"}').digest('hex'));
    expect(args_sha256).toBe(asked.args_sha256);
  });
});

describe('svc approvals', () => {
  it('lists by state, agent and risk, with waiting ones first', async () => {
    const other = await createAgent(app, ada, { name: 'other' });
    const low = await askApproval(other, { risk: 'low' });
    const high = await askApproval(other, { risk: 'high' });
    await decided(ada, low);
    const idsOf = async (...filters: string[]) =>
      (await shown('list', '--agent-id', 'other', ...filters)).map(({ id }: TestApproval) => id);
    expect(await idsOf()).toEqual([high.id, low.id]);
    expect(await idsOf('--state', 'approved')).toEqual([low.id]);
    expect(await idsOf('--risk', 'high')).toEqual([high.id]);
    expect(await approvals('list', '--state', 'open')).toMatchObject({ code: 2 });
    expect(await svc.succeeds(['complete', 'approval', high.id.slice(0, 35)])).toBe(
      `${high.id}\tother, Pay invoice 4711, pending\n`,
    );
  });

  it('shows the arguments unchanged, harmless to a terminal, and takes the beginning of an id', async () => {
    const args = { text: '\u001b[2J\u202e', quoted: '"1"', list: [1, null] };
    const asked = await askApproval(agent, { action: { name: 'say', args }, description: '\u001b[1mwhy' });
    const { code, stdout } = await approvals('show', asked.id.slice(0, 35));
    expect(code).toBe(0);
    expect(stdout).toContain('"text": "\\u001b[2J\\u202e"');
    expect(stdout).toContain('"quoted": "\\"1\\""');
    expect(stdout).toMatch(/^Description +\\u001b\[1mwhy$/m);
    expect(stdout).toMatch(/^Agent takes +approve, edit, reject, respond$/m);
    expect((await shown('show', asked.id)).action.args).toEqual(args);
    expect(await approvals('show', 'ffff')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('see "svc approvals list"'),
    });
  });

  it('sends the displayed arguments: others are not approved', async () => {
    const asked = await askApproval(agent);
    await app.database.query(`UPDATE approvals SET args_sha256 = repeat('0', 64) WHERE id = $1`, [asked.id]);
    expect(await approvals('approve', asked.id, '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The arguments differ from those of args_sha256'),
    });
    expect(await stateOf(asked)).toBe('pending');
  });

  it('needs --yes without a terminal, and for high risk the name of the action', async () => {
    const [asked, high] = [await askApproval(agent), await askApproval(agent, { risk: 'high' })];
    const refused = await approvals('approve', asked.id);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    const unnamed = await approvals('approve', high.id, '--yes');
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--confirm') });
    const misnamed = await approvals('approve', high.id, '--confirm', 'send_money');
    expect(misnamed).toMatchObject({ code: 1, stderr: expect.stringContaining('"send_payment"') });
    expect([await stateOf(asked), await stateOf(high)]).toEqual(['pending', 'pending']);
    expect(await shown('approve', high.id, '--confirm', 'send_payment')).toMatchObject({ state: 'approved' });
    expect(await shown('approve', asked.id, '--confirm', 'send_payment')).toMatchObject({
      state: 'approved',
    });
    const late = await approvals('reject', high.id);
    expect(late).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`approved already by ${ada.email}`),
    });
  });

  it('edits with a file or standard input, and shows the difference', async () => {
    const [asked, second] = [await askApproval(agent), await askApproval(agent)];
    const file = join(svc.home, 'args.json');
    await writeFile(file, '{"to": "DE02", "euros": 20, "note": "\\u001b[2J"}');
    const edited = await approvals('edit', asked.id, '--args', file, '--yes');
    expect(edited).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Approved with other arguments: /),
    });
    expect(edited.stderr).toMatch(/\n--- asked\n\+\+\+ edited\n@@ .* @@\n/);
    expect(edited.stderr).toContain('\n-  "euros": 120\n+  "euros": 20,\n+  "note": "\\u001b[2J"\n');
    expect(await fetchAnswer(agent, asked.id)).toMatchObject({ state: 'edited', edited_args: { euros: 20 } });
    const fromInput = (input: string) =>
      svc.run(['approvals', 'edit', second.id, '--args', '-', '--yes'], { input });
    expect(await fromInput('{')).toMatchObject({ code: 2, stderr: expect.stringContaining('must be JSON') });
    expect(await fromInput('{"euros": 12345678901234567891}')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('more digits'),
    });
    expect(await fromInput('null')).toMatchObject({ code: 2 });
    const same = await fromInput('{"euros": 120, "to": "DE02"}');
    expect(same).toMatchObject({ code: 1, stderr: expect.stringContaining('svc approvals approve') });
    expect(await stateOf(second)).toBe('pending');
    expect(await fromInput('{"euros": 1}')).toMatchObject({ code: 0 });
    expect((await shown('show', second.id)).edited_args).toEqual({ euros: 1 });
    expect(await approvals('edit', second.id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--args'),
    });
  });

  it('rejects with a reason, and answers in words', async () => {
    const [asked, second] = [await askApproval(agent), await askApproval(agent)];
    expect(await approvals('reject', asked.id, '--reason', 'paid already')).toMatchObject({
      code: 0,
      stdout: `Rejected: Pay invoice 4711 (${asked.id})\n`,
    });
    expect(await fetchAnswer(agent, asked.id)).toMatchObject({ state: 'rejected', reason: 'paid already' });
    expect(await approvals('respond', second.id, ' ')).toMatchObject({ code: 2 });
    const words = await svc.run(['approvals', 'respond', second.id, '@-'], { input: 'Ask the supplier\n' });
    expect(words).toMatchObject({ code: 0, stdout: `Answered: Pay invoice 4711 (${second.id})\n` });
    expect(await fetchAnswer(agent, second.id)).toMatchObject({ response: 'Ask the supplier' });
    const strict = await askApproval(agent, { allowed_decisions: ['approve', 'reject'] });
    expect(await approvals('respond', strict.id, 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it takes approve, reject'),
    });
  });

  it('is decided with a key that has the scope approve by name, and not with one that has everything', async () => {
    const asked = await askApproval(agent);
    const approve = async (scope: string) => {
      const { key } = await svc.json([
        'api-keys',
        'create',
        '--name',
        scope,
        '--scope',
        'read',
        '--scope',
        scope,
      ]);
      return svc.run(['approvals', 'approve', asked.id, '--yes'], { env: { SERVICE_API_KEY: key } });
    };
    expect(await approve('*')).toMatchObject({ code: 1, stderr: expect.stringContaining('scope') });
    expect(await approve('approve')).toMatchObject({ code: 0 });
  });

  it("says that a second person is needed, and names the first one's proposal", async () => {
    const project = await createProject(ada);
    bodyOf(await ada.api.patch(`/projects/${project}`, { two_approvers_for: 'high' }), 200);
    const grace = await registerMember(app, project, 'deployer');
    const asking = await createAgent(app, ada, { project_id: project });
    const asked = await askApproval(asking, { risk: 'high' });
    await decided(grace, asked, { decision: 'edit', edited_args: { euros: 1 } });
    expect((await approvals('show', asked.id)).stdout).toMatch(/^Proposed +\{\n +"euros": 1\n +\}$/m);
    const first = await approvals('approve', asked.id, '--confirm', 'send_payment');
    expect(first.stderr).toContain(`${grace.email} has approved it with other arguments`);
    expect(first.stdout).toMatch(/^Approved by the first of two people: /);
    expect(await stateOf(asked)).toBe('pending');
  });
});

describe('svc approvals at a terminal (skipped without script of util-linux)', () => {
  itAtTerminal('shows what is approved, and asks; high risk wants the name of the action', async () => {
    const [asked, high] = [await askApproval(agent), await askApproval(agent, { risk: 'high' })];
    const refused = await typed(`approve ${asked.id}`, [['(y/N)', 'n\r']]);
    expect(refused).toMatchObject({ code: 1, shown: expect.stringContaining('"euros": 120') });
    expect((await typed(`approve ${asked.id}`, [['(y/N)', 'y\r']])).code).toBe(0);
    const misnamed = await typed(`approve ${high.id} --yes`, [['Type the name of the action', 'yes\r']]);
    expect(misnamed).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was done') });
    const named = await typed(`approve ${high.id}`, [['Type the name of the action', 'send_payment\r']]);
    expect(named.code).toBe(0);
    expect([await stateOf(asked), await stateOf(high)]).toEqual(['approved', 'approved']);
  });
});

describe('svc approvals list --watch', () => {
  it('shows waiting and new questions and their results, until Ctrl-C', async () => {
    const watched = await createAgent(app, ada, { name: 'watched' });
    const first = await askApproval(watched, { title: 'one' });
    const watching = svc.startProcess(['approvals', 'list', '--watch', '--agent-id', 'watched']);
    expect((await watching.prints(1))[0]).toMatch(
      / {2}pending {4}\S{36} {2}watched {2}medium {2}send_payment {2}one$/,
    );
    await askApproval(watched, { title: 'two\u001b[2J' });
    expect((await watching.prints(2))[1]).toMatch(/ {2}pending .* {2}two\\u001b\[2J$/);
    await decided(ada, first, { decision: 'reject' });
    expect((await watching.prints(3))[2]).toMatch(new RegExp(` {2}rejected {3}${first.id} {2}`));
    expect(await watching.interrupted()).toMatchObject({ code: 130, stderr: '' });
    expect(await approvals('list', '--watch', '--state', 'pending')).toMatchObject({ code: 2 });
  });

  it('prints a document a line as JSON', async () => {
    const watched = await createAgent(app, ada);
    const watching = svc.start(['approvals', 'list', '--watch', '--agent-id', watched.id, '--json', 'state']);
    const asked = await askApproval(watched);
    await watching.prints(1);
    bodyOf(await watched.runtime.post(`/agents/approvals/${asked.id}/withdraw`), 200);
    expect(await watching.prints(2)).toEqual(['{"state":"pending"}', '{"state":"withdrawn"}']);
    await watching.interrupted();
  });
});

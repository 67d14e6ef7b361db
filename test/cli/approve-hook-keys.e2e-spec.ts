import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decided, type TestApproval, workingOn } from '../builders/approvals.js';
import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { readRun } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { recordedCall } from './recorded-tool-calls.js';
import type { RunningSvc } from './running-svc.js';
import { PROGRAM, Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

/** Runs the hook, and approves what it asks. @returns what was asked */
function approvedHook(args: readonly string[], env: Record<string, string> = {}): Promise<TestApproval> {
  return approved((input) => svc.start(['approve-hook', ...args], { env, input }));
}

/** Approves what a hook asks. @param start gets the call @returns what was asked */
async function approved(start: (input: string) => RunningSvc): Promise<TestApproval> {
  const call = recordedCall();
  const running = start(JSON.stringify(call));
  const asked = await until(async () => {
    const { body } = await ada.api.get('/approvals?state=pending');
    return body.find((each: TestApproval) => each.approval_key === call.tool_use_id);
  });
  const waitsFor = asked.run_id && (await readRun(ada, asked.run_id)).status;
  await decided(ada, asked);
  const { code, stdout } = await running.ended();
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('"allow"') });
  return { ...asked, waitsFor };
}

describe('The settings of Claude Code in docs/approvals.md', () => {
  const page = readFileSync('docs/approvals.md', 'utf8');
  const [, settings = ''] = /```json\n(\{\n {2}"hooks"[\s\S]*?)```/.exec(page)!;
  const { command, timeout } = JSON.parse(settings).hooks.PreToolUse[0].hooks[0];

  it('ask people with the unchanged command, who have less time than its timeout', async () => {
    await createAgent(app, ada, { name: 'coder' });
    const script = `svc() { '${process.execPath}' ${PROGRAM} "$@"; }\n${command}`;
    const asked = await approved((input) => svc.startProcess([], { input }, ['sh', '-c', script]));
    expect(asked).toMatchObject({ agent_name: 'coder', risk: 'high' });
    const seconds = (Date.parse(asked.expires_at) - Date.parse(asked.requested_at)) / 1_000;
    expect(seconds).toBeLessThan(timeout - 60);
  });

  it('block the call when svc is missing', async () => {
    const missing = svc.startProcess([], { env: { PATH: svc.home } }, ['/bin/sh', '-c', command]);
    expect(await missing.ended()).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('svc approve-hook', () => {
  it('makes a key for its agent with the login of svc, and keeps it', async () => {
    const agent = await createAgent(app, ada, { name: 'editor' });
    expect(await approvedHook(['--agent', 'editor'])).toMatchObject({ agent_id: agent.id });
    const kept = await readFile(join(svc.home, '.svc', 'run', agent.id, 'key'), 'utf8');
    expect(await approvedHook([], { AGENT_ID: agent.id })).toMatchObject({ agent_id: agent.id });
    const keys = (await ada.api.get(`/api-keys?agent_id=${agent.id}`)).body;
    expect(keys.map(({ name }: { name: string }) => name)).toContainEqual(
      expect.stringMatching(/^svc approve-hook on /),
    );
    expect(await readFile(join(svc.home, '.svc', 'run', agent.id, 'key'), 'utf8')).toBe(kept);
  });

  it('takes the key of a file', async () => {
    const agent = await createAgent(app, ada);
    const file = join(svc.home, 'agent-key');
    await writeFile(file, `${agent.key}\n`);
    expect(await approvedHook(['--key-file', file])).toMatchObject({ agent_id: agent.id });
  });

  it('has the run wait on which its coding agent works, under svc run', async () => {
    const { worker, runId } = await workingOn(app, ada);
    const env = { SERVICE_AGENT_KEY: worker.key, AGENT_ID: worker.id, RUN_ID: runId };
    expect(await approvedHook([], env)).toMatchObject({ run_id: runId, waitsFor: 'waiting' });
    expect((await readRun(ada, runId)).status).toBe('running');
    const other = await createAgent(app, ada);
    const elsewhere = await approvedHook(['--agent', other.id], { AGENT_ID: worker.id, RUN_ID: runId });
    expect(elsewhere).toMatchObject({ agent_id: other.id, run_id: null });
  });
});

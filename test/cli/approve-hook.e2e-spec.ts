import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { bodyOf, decided, fetchAnswer, type TestApproval } from '../builders/approvals.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { type BreakableLink, linkTo } from './breakable-link.js';
import { recordedCall } from './recorded-tool-calls.js';
import type { Outcome } from './running-svc.js';
import { Svc } from './svc.js';

let app: TestApp;
let link: BreakableLink;
let ada: Person;
let svc: Svc;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  link = await linkTo(app.url);
  ada = await registerPerson(app);
  svc = await Svc.at(link.url);
  agent = await createAgent(app, ada, { name: 'coder' });
});

afterEach(() => link.mend());

afterAll(async () => {
  await svc.removeHome();
  await link.close();
  await app.close();
});

type Call = ReturnType<typeof recordedCall>;

const withKey = () => ({ SERVICE_AGENT_KEY: agent.key });

/** The hook for a call, in this process. */
const hook = (call: Call | string, args: readonly string[] = [], env: Record<string, string> = withKey()) =>
  svc.start(['approve-hook', ...args], {
    env,
    input: typeof call === 'string' ? call : JSON.stringify(call),
  });

/** The hook for a call, as a coding agent starts it. */
const hookProcess = (call: Call, args: readonly string[] = []) =>
  svc.startProcess(['approve-hook', ...args], { env: withKey(), input: JSON.stringify(call) });

/** The question about a call, as soon as it was asked. */
const askedAbout = (call: Call): Promise<TestApproval> =>
  until(async () => {
    const { body } = await ada.api.get('/approvals?limit=100');
    return body.find((each: TestApproval) => each.approval_key === call.tool_use_id);
  });

/** The answer of a hook, which must be the only thing that it prints. */
function answerIn({ code, stdout }: Outcome) {
  expect(code).toBe(0);
  const { hookSpecificOutput, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({});
  expect(hookSpecificOutput.hookEventName).toBe('PreToolUse');
  return hookSpecificOutput;
}

const answerOf = async (running: { ended(): Promise<Outcome> }) => answerIn(await running.ended());

describe('svc approve-hook', () => {
  it('asks about the call of a tool, and allows it once a person has approved it', async () => {
    const call = recordedCall('Bash', { cwd: '/home/ada/sh\u200bop\ufe0f' });
    const running = hookProcess(call, ['--risk', 'low', '--risk', 'Bash=high', '--expires', '1h']);
    const asked = await askedAbout(call);
    expect(asked).toMatchObject({
      agent_name: 'coder',
      title: 'Bash in shop',
      description: `A coding agent is about to use this tool in /home/ada/shop (session ${call.session_id})`,
      action: { name: 'Bash', args: call.tool_input },
      risk: 'high',
      allowed_decisions: ['approve', 'edit', 'reject', 'respond'],
      run_id: null,
    });
    const seconds = (Date.parse(asked.expires_at) - Date.parse(asked.requested_at)) / 1_000;
    expect(seconds).toBeGreaterThan(3_500);
    expect(seconds).toBeLessThanOrEqual(3_600);
    await decided(ada, asked, { reason: 'it is a copy' });
    expect(await answerOf(running)).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      permissionDecisionReason: 'Approved: it is a copy',
    });
  });

  it.each([
    [{ decision: 'reject', reason: 'not today' }, 'This call was rejected: not today'],
    [
      { decision: 'respond', response: 'Use the copy' },
      'This call was not allowed; the answer is: Use the copy',
    ],
  ])('denies in words what a person decides so: %j', async (decision, permissionDecisionReason) => {
    const call = recordedCall('Write');
    const running = hook(call);
    await decided(ada, await askedAbout(call), decision);
    expect(await answerOf(running)).toMatchObject({ permissionDecision: 'deny', permissionDecisionReason });
  });

  it('gives the arguments that a person has edited', async () => {
    const call = recordedCall('mcp__bank__send_payment');
    const running = hook(call);
    const edited_args = { to: 'DE02', euros: 20, note: '\u001b\u202e' };
    await decided(ada, await askedAbout(call), { decision: 'edit', edited_args });
    expect(await answerOf(running)).toMatchObject({ permissionDecision: 'allow', updatedInput: edited_args });
  });

  it('denies in words after the time limit, or leaves the decision to the person at the coding agent', async () => {
    const calls = [recordedCall(), recordedCall(), recordedCall('Bash', { permission_mode: 'dontAsk' })];
    const decisions = calls.map((call, at) =>
      answerOf(hook(call, ['--expires', '1s', ...(at === 0 ? [] : ['--if-unanswered', 'ask'])])),
    );
    const permissionDecisionReason = "Nobody has decided within 1s, which is nobody's no";
    expect(await Promise.all(decisions)).toMatchObject([
      { permissionDecision: 'deny', permissionDecisionReason },
      { permissionDecision: 'ask', permissionDecisionReason },
      { permissionDecision: 'deny', permissionDecisionReason },
    ]);
    const { id } = await askedAbout(calls[0]!);
    await until(async () => (await fetchAnswer(agent, id)).state === 'expired');
  });

  it('asks nothing twice when it is killed and started again, and gets an answer that came meanwhile', async () => {
    const call = recordedCall();
    const first = hookProcess(call);
    const asked = await askedAbout(call);
    first.process.kill('SIGKILL');
    expect(await first.ended()).toMatchObject({ code: -2, stdout: '' });
    await decided(ada, asked);
    expect(await answerOf(hook(call))).toMatchObject({ permissionDecision: 'allow' });
    const { body } = await ada.api.get(`/approvals?agent_id=${agent.id}&limit=100`);
    const same = body.filter((each: TestApproval) => each.approval_key === call.tool_use_id);
    expect(same).toMatchObject([{ id: asked.id, fetched_at: expect.any(String) }]);
  });

  it('waits through an outage of the service', async () => {
    const call = recordedCall();
    const running = hook(call);
    const asked = await askedAbout(call);
    const before = link.connections;
    link.cut();
    await decided(ada, asked);
    link.mend();
    expect(await answerOf(running)).toMatchObject({ permissionDecision: 'allow' });
    expect(link.connections).toBeGreaterThan(before);
  });

  it('never allows while the service is away', async () => {
    link.cut();
    const away = [
      hook(recordedCall(), ['--expires', '1s']),
      hookProcess(recordedCall(), ['--expires', '1s']),
    ];
    for (const running of away)
      expect(await answerOf(running)).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(
          /^People can't be asked .* The service can't be reached/,
        ),
      });
    const asks = hook(recordedCall(), ['--expires', '1s', '--if-unanswered', 'ask']);
    expect(await answerOf(asks)).toMatchObject({ permissionDecision: 'ask' });
  });

  it('denies in words when the service refuses', async () => {
    const call = recordedCall();
    const running = hook(call);
    await decided(ada, await askedAbout(call));
    await running.ended();
    const changed = { ...call, tool_input: { command: "psql -c 'DROP TABLE orders'" } };
    const refusals: [Call, Record<string, string>, RegExp][] = [
      [changed as never, withKey(), /This approval_key was used for another action/],
      [recordedCall('Write', { tool_input: { content: 'x'.repeat(40_000) } }), withKey(), /bytes/],
      [recordedCall(), { SERVICE_AGENT_KEY: 'svc_agent_none' }, /.+/],
      [recordedCall(), { AGENT_ID: agent.id }, /You are not logged in/],
    ];
    for (const [refused, env, reason] of refusals)
      expect(await answerOf(hook(refused, ['--if-unanswered', 'ask'], env))).toMatchObject({
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(reason),
      });
  });

  it('ends with 2, which blocks the call, and prints nothing where it can not answer', async () => {
    const call = recordedCall();
    const broken = await Svc.at(app.url);
    await broken.writeConfig('{');
    const file = join(svc.home, 'empty-key');
    await writeFile(file, '');
    const endings = [
      await hook('{}').ended(),
      await hook(recordedCall('Bash', { hook_event_name: 'PostToolUse' })).ended(),
      await hook(call, ['--risk', 'Bash=severe']).ended(),
      await hook(call, ['--nonsense']).ended(),
      await hook(call, [], {}).ended(),
      await broken.run(['approve-hook'], { env: withKey(), input: JSON.stringify(call) }),
    ];
    for (const ending of endings)
      expect(ending).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^Error: .+\n$/) });
    await broken.removeHome();
    expect(await answerOf(hook(call, ['--key-file', file], {}))).toMatchObject({
      permissionDecision: 'deny',
    });
  });

  it('ends with 2 when it is interrupted', async () => {
    const call = recordedCall();
    const running = hookProcess(call);
    const asked = await askedAbout(call);
    await running.says('svc approvals show');
    expect(await running.interrupted()).toMatchObject({ code: 2, stdout: '' });
    expect(bodyOf(await ada.api.get(`/approvals/${asked.id}`), 200).state).toBe('pending');
  });
});

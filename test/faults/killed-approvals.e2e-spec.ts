import { jest } from '@jest/globals';
import { askApproval, bodyOf, decided, fetchAnswer, question, workingOn } from '../builders/approvals.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createAgent } from '../builders/agents.js';
import { readRun } from '../builders/runs.js';
import { recordedCall } from '../cli/recorded-tool-calls.js';
import { Svc } from '../cli/svc.js';
import { Instances } from './instances.js';

/** Services start one after the other, which takes a busy machine a minute. */
jest.setTimeout(180_000);

let instances: Instances;
let person: Person;

beforeAll(async () => {
  instances = await Instances.start(2);
  person = await registerPerson(instances.app());
});

afterAll(() => instances.close());

describe('A question of a coding agent', () => {
  it('outlives a kill of the service: its hook gets the answer from the next one', async () => {
    const service = instances.first;
    const agent = await createAgent(instances.app(), person);
    const svc = await Svc.at(service.url);
    const call = recordedCall();
    const env = { SERVICE_AGENT_KEY: agent.key };
    const hook = svc.startProcess(['approve-hook'], { env, input: JSON.stringify(call) });
    await hook.says('Waiting for a decision');
    await instances.kill(service);
    const next = await instances.add({ PORT: new URL(service.url).port });
    const there = { ...person, api: next.api.as(person.accessToken) };
    const [asked, ...others] = bodyOf(await there.api.get(`/approvals?agent_id=${agent.id}`), 200);
    expect([asked.approval_key, others]).toEqual([call.tool_use_id, []]);
    await decided(there, asked);
    const { code, stdout } = await hook.ended();
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { hookSpecificOutput: { permissionDecision: 'allow' } },
    ]);
    await svc.removeHome();
  });
});

describe('A question', () => {
  it('outlives a kill of the service and a restart of the agent, and is asked once', async () => {
    const { worker, runId } = await workingOn(instances.app(), person);
    const body = question({ run_id: runId });
    const asked = await askApproval(worker, body);
    const [first, second] = instances.all;
    const waiting = worker.runtime.get(`/agents/approvals/${asked.id}?wait=60`).catch(() => null);
    await instances.kill(first!);
    await waiting;
    // The agent starts again at the other instance, and finds its question.
    const runtime = second!.api.as(worker.key);
    const registered = bodyOf(await runtime.post('/agents/register', { runs: [runId] }), 200);
    expect(registered.approvals).toMatchObject([{ id: asked.id, state: 'pending' }]);
    expect(bodyOf(await runtime.post('/agents/approvals', body), 201).id).toBe(asked.id);
    const there = { ...person, api: second!.api.as(person.accessToken) };
    const answer = fetchAnswer({ runtime }, asked.id, 60);
    await decided(there, asked);
    expect((await answer).state).toBe('approved');
    expect((await readRun(there, runId)).status).toBe('running');
    expect(bodyOf(await there.api.get(`/approvals?agent_id=${worker.id}`), 200)).toHaveLength(1);
  });
});

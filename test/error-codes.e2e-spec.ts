import { createAgent, type TestAgent } from './builders/agents.js';
import { askApproval, decide, decided, question, workingOn } from './builders/approvals.js';
import { type Person, registerPerson, GOOD_PASSWORD } from './builders/people.js';
import { createProject, createProjectKey, registerMember } from './builders/projects.js';
import type { ApiReply } from './harness/api-client.js';
import { rawRequest } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const NOBODY = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';

let service: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
  agent = await createAgent(service, person);
});

afterAll(() => service.close());

describe('An error', () => {
  it.each<[string, () => Promise<ApiReply<any>>]>([
    [
      'email_taken',
      () => service.api.post('/auth/register', { email: person.email, password: GOOD_PASSWORD }),
    ],
    [
      'invalid_credentials',
      () => service.api.post('/auth/login', { email: person.email, password: 'Wrong-1!' }),
    ],
    ['invalid_token', () => service.api.get('/agents')],
    ['not_found', () => person.api.get(`/agents/${NOBODY}`)],
    ['route_not_found', () => person.api.get('/nowhere')],
    ['method_not_allowed', () => person.api.request('PUT', '/agents')],
    ['missing_role', () => person.api.get('/leads')],
    ['agent_mismatch', () => agent.runtime.post('/agents/heartbeat', { agent_id: NOBODY })],
    ['validation_failed', () => person.api.post('/agents', { user_id: NOBODY })],
  ])('has the code %s', async (code, call) => {
    const { body } = await call();
    expect(body).toMatchObject({ code, detail: expect.any(String) });
  });

  it('has a code also when the request could not be parsed', async () => {
    const reply = await rawRequest(service.url, { path: '/', headers: { padding: 'x'.repeat(100_000) } });
    expect(reply.body).toMatchObject({ statusCode: 431, code: 'request_header_fields_too_large' });
  });
});

describe('A refused decision about an approval', () => {
  const refusalOf = async (reply: Promise<ApiReply<any>>) => {
    const { status, body } = await reply;
    return [status, body.code];
  };

  it('has a code of its own for each thing that a program would do next', async () => {
    const asked = await askApproval(agent, { allowed_decisions: ['approve'] });
    expect(await refusalOf(decide(person, asked, { args_sha256: '0'.repeat(64) }))).toEqual([
      409,
      'arguments_differ',
    ]);
    expect(await refusalOf(decide(person, asked, { decision: 'reject' }))).toEqual([400, 'decision_refused']);
    await decided(person, asked);
    expect(await refusalOf(decide(person, asked))).toEqual([409, 'approval_closed']);
    const late = await askApproval(agent);
    await service.database.query('UPDATE approvals SET expires_at = now() WHERE id = $1', [late.id]);
    expect(await refusalOf(decide(person, late))).toEqual([409, 'approval_closed']);
  });

  it('says who may not be one of two approvers', async () => {
    const projectId = await createProject(person);
    await person.api.patch(`/projects/${projectId}`, { two_approvers_for: 'high' });
    const member = await registerMember(service, projectId, 'deployer');
    const { worker, runId } = await workingOn(service, person, { project_id: projectId });
    const asked = await askApproval(worker, { run_id: runId, risk: 'high' });
    expect(await refusalOf(decide(person, asked))).toEqual([403, 'approver_refused']);
    const key = service.api.as(await createProjectKey(person, projectId, 'owner', ['approve', 'agents']));
    expect(await refusalOf(decide({ api: key }, asked))).toEqual([403, 'project_key_refused']);
    await decided(member, asked);
    expect(await refusalOf(decide(member, asked))).toEqual([409, 'already_approved']);
  });

  it('is told from the reuse of an approval_key', async () => {
    const { approval_key } = await askApproval(agent);
    const other = question({ approval_key, action: { name: 'delete_rows' } });
    expect(await refusalOf(agent.runtime.post('/agents/approvals', other))).toEqual([
      409,
      'approval_key_reused',
    ]);
  });
});

describe('A 422', () => {
  it('has the field, the message and the code of each broken rule', async () => {
    const reply = await person.api.post('/webhooks/', {
      url: 7,
      colour: 'red',
      events: ['x'],
      is_active: 'no',
    });
    expect(reply.body.errors).toEqual(
      expect.arrayContaining([
        { field: 'colour', code: 'unknown_property', message: 'property colour should not exist' },
        { field: 'url', code: 'wrong_type', message: 'url must be a string' },
        { field: 'events', code: 'unknown_value', message: expect.stringContaining('events') },
        { field: 'is_active', code: 'wrong_type', message: expect.stringContaining('is_active') },
      ]),
    );
    expect(reply.body.errors.map(({ message }: { message: string }) => message)).toEqual(reply.body.message);
    const missing = await person.api.post('/webhooks/', {});
    expect(missing.body.errors).toEqual([
      { field: 'url', code: 'required', message: 'url must be a string' },
    ]);
  });

  it('has the path of a value within a list or a batch', async () => {
    const logs = [{ level: 'info', message: 'x' }, { level: 'loud' }];
    expect((await agent.runtime.post('/agents/logs', { logs })).body.errors).toMatchObject([
      { field: 'logs.1.level', code: 'invalid_value' },
      { field: 'logs.1.message', code: 'required' },
    ]);
  });

  it('has the name of a parameter, or null when the rule is about no single value', async () => {
    expect((await person.api.get('/agents/x')).body.errors).toMatchObject([
      { field: 'agent_id', code: 'wrong_format' },
    ]);
    expect((await person.api.get('/agents?limit=1000')).body.errors).toMatchObject([
      { field: 'limit', code: 'out_of_range' },
    ]);
    expect((await person.api.post('/agents', [])).body.errors).toMatchObject([
      { field: null, code: 'wrong_type' },
    ]);
  });

  it('has at most 50 messages, and the rules of all but the last', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, 1]));
    const { body } = await person.api.post('/agents', unknown);
    expect([body.message.length, body.errors.length]).toEqual([50, 49]);
    expect(body.message[49]).toBe('11 more rules failed');
  });
});

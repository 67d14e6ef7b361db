import type { TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { expectError } from './harness/error-shape.js';
import { rawRequest } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;
let agent: TestAgent;
let deploymentId: string;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
  ({ agent, id: deploymentId } = await stageDeployment(service, person, 'running'));
});

afterAll(() => service.close());

/** `POST /agents` with any headers and bytes. */
function postAgent(headers: Record<string, string>, ...parts: (string | Buffer)[]) {
  return rawRequest(service.url, {
    method: 'POST',
    path: '/agents',
    headers: { authorization: `Bearer ${person.accessToken}`, ...headers },
    parts,
  });
}

const json = { 'content-type': 'application/json' };

describe('An unknown property', () => {
  it('returns 422 with its name on user routes', async () => {
    expectError(
      await person.api.post('/agents', { user_id: person.id }),
      422,
      'property user_id should not exist',
    );
    expectError(
      await person.api.post('/agents', { status: 'running' }),
      422,
      'property status should not exist',
    );
    expectError(
      await person.api.post('/deployments', { agent_id: agent.id, status: 'ready' }),
      422,
      /status/,
    );
    expectError(
      await person.api.post(`/agents/${agent.id}/deploy`, { x: 1 }),
      422,
      'property x should not exist',
    );
    expectError(await person.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2, '': 1 }), 422);
    expectError(
      await service.api.post('/auth/register', {
        email: 'a@b.example',
        password: 'Abcdef-1',
        is_admin: true,
      }),
      422,
      /is_admin/,
    );
  });

  it('returns 422 with its path within objects of the body', async () => {
    const budget = { name: 'x', period: 'day', limit: { usd: 1, euros: 1 } };
    expectError(await person.api.post('/budgets', budget), 422, 'property limit.euros should not exist');
    const prices = { input_tokens: 1, output_tokens: 1, audio: { tokens: 1 } };
    const body = { model: 'x', usd_per_million: prices };
    const refused = await (await registerOperator(service)).api.request('PUT', '/model-prices', { body });
    expectError(refused, 422, 'property usd_per_million.audio should not exist');
  });

  it('can not add a line to the message', async () => {
    expectError(
      await person.api.post('/agents', { 'a\r\nX-Injected: 1': 1 }),
      422,
      'property a\ufffd\ufffdX-Injected: 1 should not exist',
    );
  });

  it('is ignored on runtime routes', async () => {
    const more = { from_the_future: { a: [1] } };
    for (const reply of [
      await agent.runtime.post('/agents/register', { version: '2', ...more }),
      await agent.runtime.post('/agents/heartbeat', { status: 'running', ...more }),
      await agent.runtime.post('/agents/heartbeat', {
        deployments: [{ deployment_id: deploymentId, ...more }],
      }),
      await agent.runtime.post('/agents/logs', { level: 'info', message: 'x', ...more }),
      await agent.runtime.post('/agents/logs', { logs: [{ level: 'info', message: 'x', ...more }], ...more }),
      await agent.runtime.post('/agents/metrics', { cpu_usage: 1, ...more }),
      await agent.runtime.post('/agents/metrics', { metrics: [{ cpu_usage: 1, ...more }], ...more }),
    ]) {
      expect(reply.status).toBe(200);
    }
    const command = (await person.api.post(`/deployments/${deploymentId}/scale`, { replicas: 1 })).body;
    expect(command.replicas).toBe(1);
    const [due] = (await agent.runtime.get('/agents/commands')).body.commands;
    const reply = await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: due.command_id,
      success: true,
      ...more,
    });
    expect(reply.body).toEqual({ status: 'ok', command_id: due.command_id });
  });

  it.each([
    '{"__proto__":{"replicas":5}}',
    '{"constructor":{"prototype":{"replicas":5}}}',
    '{"replicas":-1,"constructor":{}}',
    '{"replicas":-1,"__proto__":{}}',
    '{"prototype":1}',
    '{"replicas":1,"constructor":{}}',
    '{"replicas":1,"__proto__":{}}',
  ])("can not reach an object's prototype: %s", async (raw) => {
    expectError(await person.api.post(`/deployments/${deploymentId}/scale`, undefined, { raw }), 422);
    expect(({} as any).replicas).toBeUndefined();
  });
});

describe('Null', () => {
  it('counts as absent on runtime routes', async () => {
    const none = {
      agent_id: null,
      version: null,
      hostname: null,
      platform: null,
      message: null,
      timestamp: null,
    };
    const deployment = {
      deployment_id: deploymentId,
      status: 'ready',
      ready_replicas: null,
      observed_generation: null,
      node_id: null,
      error_message: null,
    };
    await agent.runtime.post('/agents/heartbeat', {
      version: '7',
      deployments: [{ ...deployment, node_id: 'here' }],
    });
    for (const reply of [
      await agent.runtime.post('/agents/register', {
        ...none,
        name: null,
        capabilities: null,
        metadata: null,
      }),
      await agent.runtime.post('/agents/heartbeat', { ...none, status: null, deployments: null }),
      await agent.runtime.post('/agents/heartbeat', {
        ...none,
        deployments: [{ ...deployment, status: 'running', ready_replicas: 0 }],
      }),
      await agent.runtime.post('/agents/heartbeat', { ...none, deployments: [deployment] }),
      await agent.runtime.post('/agents/logs', {
        level: 'info',
        message: 'x',
        agent_id: null,
        metadata: null,
      }),
      await agent.runtime.post('/agents/metrics', { agent_id: null, cpu_usage: null, custom: null }),
    ]) {
      expect(reply.status).toBe(200);
    }
    const { body } = await person.api.get(`/deployments/${deploymentId}`);
    expect([body.status, body.node_id]).toEqual(['ready', 'here']);
    expect((await person.api.get(`/agents/${agent.id}`)).body.version).toBe('7');
  });

  it('sets the default when a user creates a resource', async () => {
    const reply = await person.api.post('/agents', {
      config: null,
      name: null,
      description: null,
      type: null,
    });
    expect(reply.body).toMatchObject({
      config: '{}',
      name: expect.stringMatching(/^agent-/),
      description: null,
      type: 'custom',
    });
  });
});

describe('Free JSON of a user or an agent', () => {
  const words =
    '{"constructor":{"name":"x"},"__proto__":{"a":1},"prototype":[1],"toString":"y","a":{"constructor":1}}';

  it('is stored unchanged as the configuration', async () => {
    const reply = await person.api.post('/agents', undefined, { raw: `{"config":${words}}` });
    expect([reply.status, reply.body.config]).toEqual([201, words]);
  });

  it('is stored unchanged as capabilities, metadata and the result of a command', async () => {
    const registered = await agent.runtime.post('/agents/register', undefined, {
      raw: `{"capabilities":${words},"metadata":${words}}`,
    });
    expect(registered.status).toBe(200);
    const [row] = await service.database.query<{ capabilities: string; metadata: string; expected: string }>(
      `SELECT capabilities::text, metadata::text, $2::jsonb::text AS expected FROM agents WHERE id = $1`,
      [agent.id, words],
    );
    expect([row?.capabilities, row?.metadata]).toEqual([row?.expected, row?.expected]);

    await person.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    const [due] = (await agent.runtime.get('/agents/commands')).body.commands;
    await agent.runtime.post('/agents/commands/acknowledge', undefined, {
      raw: `{"command_id":"${due.command_id}","success":true,"result":${words}}`,
    });
    const [kept] = await service.database.query<{ result: string }>(
      'SELECT result::text FROM commands WHERE id = $1',
      [due.command_id],
    );
    expect(kept?.result).toBe(row?.expected);
  });

  it('is stored unchanged with a log entry and a measurement', async () => {
    await agent.runtime.post('/agents/logs', undefined, {
      raw: `{"level":"info","message":"x","metadata":${words}}`,
    });
    await agent.runtime.post('/agents/metrics', undefined, { raw: `{"custom":${words}}` });
    const [row] = await service.database.query<{ metadata: string; custom: string; expected: string }>(
      `SELECT (SELECT metadata::text FROM agent_logs WHERE agent_id = $1 ORDER BY id DESC LIMIT 1) AS metadata,
        (SELECT custom::text FROM agent_metrics WHERE agent_id = $1 ORDER BY id DESC LIMIT 1) AS custom,
        $2::jsonb::text AS expected`,
      [agent.id, words],
    );
    expect([row?.metadata, row?.custom]).toEqual([row?.expected, row?.expected]);
  });
});

describe('Text that PostgreSQL can not store', () => {
  it.each(['a\u0000b', '\ud800', '\udc00x', 'x\ud83d'])(
    'is stored with a replacement character: %j',
    async (text) => {
      const expected = text.toWellFormed().replaceAll('\0', '\ufffd');
      const body = { name: text, description: text, type: text, config: { [text]: [text] } };
      const reply = await person.api.post('/agents', body);
      expect(reply.body).toMatchObject({ name: expected, description: expected, type: expected });
      expect(JSON.parse(reply.body.config)).toEqual({ [expected]: [expected] });
      expect(
        (await agent.runtime.post('/agents/register', { ...body, metadata: { [text]: text } })).status,
      ).toBe(200);
      const beat = {
        message: text,
        deployments: [{ deployment_id: deploymentId, node_id: text, error_message: text }],
      };
      expect((await agent.runtime.post('/agents/heartbeat', beat)).status).toBe(200);
      expect((await person.api.get(`/deployments/${deploymentId}`)).body.node_id).toBe(expected);
      await person.api.post('/auth/login', { email: `${text}@example.com`, password: text });
    },
  );

  it('is kept when it is only the text of an escape sequence', async () => {
    const config = '{"a":"\\u0000\\ud800"}';
    const { body } = await person.api.post('/agents', { config });
    expect(body.config).toBe(config);
    await person.api.post(`/agents/${body.id}/deploy`);
    const [command] = (await service.api.as(body.api_key).get('/agents/commands')).body.commands;
    expect(command.parameters.config).toBe(config);
  });

  it('is stored with replacement characters when the bytes are no UTF-8', async () => {
    const reply = await postAgent(json, Buffer.from('{"name":"\xff\xfe\xc0"}', 'latin1'));
    expect([reply.status, reply.body.name]).toEqual([201, '\ufffd\ufffd\ufffd']);
  });

  it('may begin with a byte order mark', async () => {
    expect((await postAgent(json, '\ufeff{"name":"marked"}')).body.name).toBe('marked');
  });
});

describe('A number of replicas', () => {
  it.each([
    '1e400',
    '-1e400',
    '1e308',
    '9007199254740993',
    '2147483648',
    '-0.5',
    '1e-400',
    '"2"',
    'null',
    'true',
    '[]',
    '{}',
    '2.5',
  ])('returns 422 when it is invalid: %s', async (number) => {
    const raw = `{"replicas":${number}}`;
    const reply = await person.api.post(`/deployments/${deploymentId}/scale`, undefined, { raw });
    // a number too small to be distinguished from 0 is 0
    if (number === '1e-400') expect([reply.status, reply.body.replicas]).toEqual([200, 0]);
    else expectError(reply, 422, /^replicas must/);
  });
});

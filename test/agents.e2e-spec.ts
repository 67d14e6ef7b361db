import { createAgent, deploy } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { WEBHOOK_SETTINGS } from './builders/webhooks.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let operator: Person;
let person: Person;
let stranger: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  operator = await registerOperator(app);
  person = await registerPerson(app);
  stranger = await registerPerson(app);
});

afterAll(() => app.close());

describe('Creating an agent', () => {
  it('returns the agent with its first key, which is never returned again', async () => {
    const config = '{"command": ["node", "agent.js"],  "n": 1.0}';
    const { status, body } = await person.api.post('/agents', {
      config,
      name: 'reader',
      description: 'Reads.',
      type: 'worker',
      labels: { team: 'billing' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      agent_id: body.id,
      user_id: person.id,
      project_id: person.id,
      name: 'reader',
      description: 'Reads.',
      type: 'worker',
      labels: { team: 'billing' },
      config,
      config_version: 1,
      status: 'creating',
      connection: 'never_connected',
      health: { state: 'idle', reason: 'Nothing is meant to run' },
      reported_status: null,
      reported_message: null,
      capabilities: null,
      metadata: null,
      paused: null,
      deployed: null,
      on_loop: 'notify',
      capture: 'none',
      usage_from: 'auto',
      version: null,
      hostname: null,
      platform: null,
      runtime: null,
      last_heartbeat: null,
      created_at: expect.stringMatching(/\.\d{3}Z$/),
      updated_at: body.created_at,
      api_key: expect.stringMatching(/^svc_agent_/),
    });
    const { api_key, ...record } = body;
    expect((await person.api.get(`/agents/${body.id}`)).body).toEqual({ ...record, deployments: [] });
    expect((await app.api.as(api_key).get(`/agents/${body.id}/status`)).status).toBe(200);
  });

  it('has a default for every property', async () => {
    const { body } = await person.api.post('/agents', {});
    expect(body).toMatchObject({
      name: `agent-${body.id.slice(0, 8)}`,
      type: 'custom',
      config: '{}',
      labels: {},
      description: null,
    });
  });

  it.each([
    ['an object', { a: { b: [1, 'x', null] } }, '{"a":{"b":[1,"x",null]}}'],
    ['a string that holds an array', '[1, 2]', '[1, 2]'],
    ['a string that holds a number', '7', '7'],
    ['a string that holds null', 'null', 'null'],
  ])('accepts %s as config', async (_, config, kept) => {
    const { status, body } = await person.api.post('/agents', { config });
    expect(status).toBe(201);
    expect(body.config).toBe(kept);
  });

  it.each([
    ['no JSON', 'command: node'],
    ['an empty string', ''],
    ['a number', 7],
    ['an array', [1]],
    ['a boolean', true],
    ['more than 256 KiB', JSON.stringify('x'.repeat(256 * 1024))],
  ])('refuses %s as config', async (_, config) => {
    const { status, body } = await person.api.post('/agents', { config });
    expect(status).toBe(422);
    expect(body.detail).toContain('config');
  });

  it.each(['1234567890123456789', '1e400', '0.1000000000000000055511151231257827'])(
    'refuses a config that is an object when it has a number that would not be kept, and keeps it in a string: %s',
    async (number) => {
      const config = `{"a": {"b": [1, ${number}]}}`;
      const create = (raw: string) => person.api.post('/agents', undefined, { raw });
      const message = `config.a.b.1 is ${number}, which JSON numbers can't represent exactly: send it as a string`;
      expectError(await create(`{"config": ${config}}`), 422, message);
      const { body } = await create(JSON.stringify({ config }));
      expect(body.config).toBe(config);
      const change = await person.api.patch(`/agents/${body.id}`, undefined, {
        raw: `{"config": ${config}}`,
      });
      expectError(change, 422, message);
    },
  );

  it.each(['1.10', '1.0', '-0', '1e3', '0.0000001', '1E400', '12345678901234567890'])(
    'refuses %s as a variable, which a program would get as another text, in an object and in a string',
    async (number) => {
      const config = `{"env":{"PORT":8080,"RATE":1.5,"VERSION":${number}},"rates":[${number}]}`;
      const create = (raw: string) => person.api.post('/agents', undefined, { raw });
      expectError(
        await create(JSON.stringify({ config })),
        422,
        /^config\.env\.VERSION must be quoted, as a string/,
      );
      expectError(await create(`{"config": ${config}}`), 422, /config\.env\.VERSION/);
      const quoted = config.replace(number, `"${number}"`);
      expect((await create(JSON.stringify({ config: quoted }))).body.config).toBe(quoted);
    },
  );

  it('keeps the numbers of a config that is an object as they were written', async () => {
    const raw = '{"config":{"rates":[1.10,-0,1e3,0.0000001],"env":{"PORT":8080,"LEVEL":"1.10"}},"name":"x"}';
    const { body } = await person.api.post('/agents', undefined, { raw });
    expect(body.config).toBe('{"rates":[1.10,-0,1e3,0.0000001],"env":{"PORT":8080,"LEVEL":"1.10"}}');
  });

  it('trims the name and the type, and refuses blank ones', async () => {
    const { body } = await person.api.post('/agents', { name: '  my reader\n', type: '\tworker ' });
    expect(body).toMatchObject({ name: 'my reader', type: 'worker' });
    for (const field of ['name', 'type']) {
      const refused = await person.api.post('/agents', { [field]: ' \n\u00a0' });
      expectError(refused, 422, new RegExp(`^${field} must be longer than or equal to 1 characters$`));
    }
  });

  it.each(['prod\u200buction', 'gpj.\u202eexe'])('refuses %j as a name, a type or a label', async (text) => {
    const { body: agent } = await person.api.post('/agents', { name: '👩\u200d🚀' });
    const bodies = [{ name: text }, { type: text }, { labels: { [text]: 'x' } }, { labels: { team: text } }];
    for (const body of bodies)
      expectError(
        await person.api.patch(`/agents/${agent.id}`, body),
        422,
        /without|must not have zero-width/,
      );
    expectError(await person.api.post('/agents', { name: text }), 422, /^name must not have zero-width/);
  });

  it('takes the owner from the credential only', async () => {
    const { status, body } = await person.api.post('/agents', { user_id: stranger.id });
    expect(status).toBe(422);
    expect(body.message).toEqual(['property user_id should not exist']);
  });
});

describe('Listing agents', () => {
  it("returns the caller's agents, newest first, filtered by status", async () => {
    const owner = await registerPerson(app);
    const agents = [];
    for (let count = 0; count < 3; count++) agents.push(await createAgent(app, owner));
    await deploy(owner, agents[1]!);
    const ids = async (query = '') =>
      (await owner.api.get(`/agents${query}`)).body.map((agent: { id: string }) => agent.id);
    expect(await ids()).toEqual([agents[2]!.id, agents[1]!.id, agents[0]!.id]);
    expect(await ids('?status=running')).toEqual([agents[1]!.id]);
    expect(await ids('?status=')).toHaveLength(3);
    expect((await owner.api.get('/agents?status=asleep')).status).toBe(422);
    const counted = await owner.api.get('/agents?limit=1&include_total=true');
    expect(counted.headers.get('x-total-count')).toBe('3');
    expect(counted.body).toHaveLength(1);
  });

  it('ends a page before 2 MiB, with a Link to the next page', async () => {
    const rich = await registerPerson(app);
    const config = JSON.stringify({ text: 'x'.repeat(250 * 1024) });
    const made: string[] = [];
    for (let count = 0; count < 10; count++) made.unshift((await createAgent(app, rich, { config })).id);
    const read: string[] = [];
    const sizes: number[] = [];
    let path: string | undefined = '/agents?limit=100';
    while (path) {
      const reply: ApiReply<any> = await rich.api.get(path);
      read.push(...reply.body.map(({ id }: { id: string }) => id));
      sizes.push(JSON.stringify(reply.body).length);
      path = /<(.+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    expect(read).toEqual(made);
    expect(sizes.length).toBe(2);
    expect(Math.max(...sizes)).toBeLessThan(2.2 * 1024 * 1024);
  });

  it("returns another user's agents to operators only", async () => {
    const owner = await registerPerson(app);
    const agent = await createAgent(app, owner);
    expect((await stranger.api.get(`/agents?user_id=${owner.id}`)).body).toEqual([]);
    const counted = await stranger.api.get(`/agents?user_id=${owner.id}&include_total=true`);
    expect(counted.headers.get('x-total-count')).toBe('0');
    const seen = await operator.api.get(`/agents?user_id=${owner.id}`);
    expect(seen.body.map((each: { id: string }) => each.id)).toEqual([agent.id]);
    expect((await owner.api.get(`/agents?user_id=${owner.id}`)).body).toHaveLength(1);
    for (const caller of [owner, operator]) {
      const inCapitals = await caller.api.get(`/agents?user_id=${owner.id.toUpperCase()}`);
      expect(inCapitals.body.map((each: { id: string }) => each.id)).toEqual([agent.id]);
    }
    expect((await owner.api.get('/agents?user_id=me')).status).toBe(422);
  });
});

describe("An operator's read of another user's resource", () => {
  it('is recorded in the audit log, once a minute for each operator and resource', async () => {
    const ida = await registerPerson(app);
    const entriesAbout = async (query: string, reader = operator) =>
      (await reader.api.get(`/audit?${query}`)).body as Record<string, unknown>[];
    const agent = await createAgent(app, ida);
    const deployment = (await ida.api.post(`/agents/${agent.id}/deploy`)).body;
    const hook = (await ida.api.post('/webhooks', { url: 'http://127.0.0.1:9/' })).body;
    const paths = [
      `/agents?user_id=${ida.id}`,
      `/agents/${agent.id}`,
      `/deployments/${deployment.id}`,
      `/deployments/${deployment.id}/events`,
      `/webhooks/${hook.id}`,
    ];
    for (const path of paths) expect((await ida.api.get(path)).status).toBe(200);
    for (const path of [...paths, ...paths]) expect((await operator.api.get(path)).status).toBe(200);
    const own = await createAgent(app, operator);
    expect((await operator.api.get(`/agents/${own.id}`)).status).toBe(200);
    expect((await operator.api.get(`/agents?user_id=${operator.id}`)).status).toBe(200);

    const reads = await until(async () => {
      const entries = await entriesAbout(`actor=user:${operator.id}`, ida);
      return entries.length === 4 && entries.reverse();
    });
    expect(reads.map(({ action, target_id: id }) => [action, id])).toEqual([
      ['agent.list', ida.id],
      ['agent.read', agent.id],
      ['deployment.read', deployment.id],
      ['webhook.read', hook.id],
    ]);
    for (const read of reads) {
      expect(read).toMatchObject({ actor: `user:${operator.id}`, outcome: 'success', address: '127.0.0.1' });
    }
    expect(await entriesAbout(`target_id=${own.id}&action=agent.read`)).toEqual([]);
  });
});

describe('One agent', () => {
  it('lists its latest hundred deployments, newest first', async () => {
    const agent = await createAgent(app, person);
    const first = await deploy(person, agent);
    for (let count = 0; count < 100; count++) await deploy(person, agent);
    const last = await deploy(person, agent);
    const { deployments } = (await person.api.get(`/agents/${agent.id}`)).body;
    expect(deployments).toHaveLength(100);
    expect(deployments[0].id).toBe(last);
    expect(deployments.map((each: { id: string }) => each.id)).not.toContain(first);
    // A hundred deployments one after the other, on a busy machine a third of a second each.
  }, 90_000);

  it('is stopped by POST /agents/{agent_id}/stop even without deployments', async () => {
    const agent = await createAgent(app, person);
    const { body } = await person.api.post(`/agents/${agent.id}/stop`);
    expect(body).toEqual({ agent_id: agent.id, status: 'stopped', stopped: 0, deployments: [] });
    expect((await person.api.get(`/agents/${agent.id}`)).body.status).toBe('stopped');
  });
});

import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;
let receiver: WebhookReceiver;

beforeAll(async () => {
  app = await startTestApp({ settings: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
  receiver = await WebhookReceiver.start();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
  await receiver.close();
});

describe('svc api-keys', () => {
  it('creates, lists, rotates and revokes keys', async () => {
    const created = await svc.json(['api-keys', 'create', '--name', 'ci', '--expires-in-days', '90']);
    expect(created.key).toMatch(/^svc_user_/);
    expect((await app.api.as(created.key).get('/agents')).status).toBe(200);

    const rotated = await svc.json(['api-keys', 'rotate', created.id, '--grace-period', '10m']);
    expect(rotated.key).not.toBe(created.key);
    expect((await app.api.as(created.key).get('/agents')).status).toBe(200);

    const listing = await svc.succeeds(['api-keys', 'list']);
    expect(listing).toContain(rotated.id);
    expect(listing).not.toContain(rotated.key);
    expect(await svc.json(['api-keys', 'list'])).toEqual((await ada.api.get('/api-keys')).body);

    expect(await svc.run(['api-keys', 'revoke', rotated.id])).toMatchObject({ code: 2, stdout: '' });
    expect(await svc.json(['api-keys', 'revoke', rotated.id, '--yes'])).toEqual({ revoked: rotated.id });
    expect((await app.api.as(rotated.key).get('/agents')).status).toBe(401);
  });

  it('creates a key that reads for a year when nothing else is said', async () => {
    const daysLeft = ({ expires_at }: { expires_at: string }) =>
      (Date.parse(expires_at) - Date.now()) / 86_400_000;
    const created = await svc.json(['api-keys', 'create', '--name', 'plain']);
    expect(created.scopes).toEqual(['read']);
    expect(Math.round(daysLeft(created))).toBe(365);
    const asked = ['--scope', '*', '--expires-in-days', 'never'];
    const unbounded = await svc.json(['api-keys', 'create', '--name', 'all', ...asked]);
    expect(unbounded).toMatchObject({ scopes: ['*'], expires_at: null });
    const agent = await createAgent(app, ada, { name: 'with a key for good' });
    const ofAgent = await svc.json(['api-keys', 'create', '--name', 'a', '--agent-id', agent.id]);
    expect(ofAgent).toMatchObject({ agent_id: agent.id, expires_at: null });
  });

  it('creates a key with scopes, and revokes the keys that this key created with it', async () => {
    const key = await svc.json([
      'api-keys',
      'create',
      '--name',
      'x',
      '--scope',
      'agents',
      '--scope',
      'webhooks',
    ]);
    expect(key.scopes).toEqual(['agents', 'webhooks']);
    const byKey = app.api.as(key.key);
    expect((await byKey.get('/agents')).status).toBe(403);
    const agent = (await byKey.post('/agents', { name: 'of the key' })).body;
    const webhook = (await byKey.post('/webhooks', { url: receiver.url })).body;
    const actor = `key:${key.id}`;
    const log = await svc.json(['audit', '--actor', actor, '--outcome', 'success']);
    expect(log.map(({ action }: { action: string }) => action)).toEqual(['webhook.create', 'agent.create']);
    for (const target of [agent.id, 'of the key', receiver.url])
      expect(await svc.succeeds(['audit', '--target-id', target])).toContain(`key ${key.name} (`);
    const unknown = await svc.run(['audit', '--target-id', 'nothing']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('give the whole id')]);

    const told = await svc.run(['api-keys', 'revoke', key.id, '--yes']);
    expect(told.stderr).toContain(`agent ${agent.id}, webhook ${webhook.id}`);
    const heartbeat = () => app.api.as(agent.api_key).post('/agents/heartbeat', {});
    expect((await heartbeat()).status).toBe(200);
    await svc.succeeds(['api-keys', 'revoke', key.id, '--made', '--yes']);
    expect((await heartbeat()).status).toBe(401);
    expect((await ada.api.get(`/webhooks/${webhook.id}`)).status).toBe(404);
    expect((await ada.api.get(`/agents/${agent.id}`)).status).toBe(200);
  });

  it('creates a key for an agent that is given by its name', async () => {
    const agent = await createAgent(app, ada, { name: 'keyed' });
    const text = await svc.succeeds(['api-keys', 'create', '--name', 'laptop', '--agent-id', 'keyed']);
    expect(text).toContain(`agent ${agent.id}`);
    const [, key] = /^Key +(svc_agent_\S+)$/m.exec(text)!;
    expect((await app.api.as(key!).post('/agents/heartbeat', {})).status).toBe(200);
  });

  it('shows who did what to an agent and to its keys, by its name', async () => {
    const agent = await createAgent(app, ada, { name: 'watched' });
    await createAgent(app, ada, { name: 'another' });
    await svc.succeeds(['api-keys', 'create', '--name', 'spare', '--agent-id', agent.id]);
    const log = await svc.json(['audit', '--agent-id', 'watched']);
    expect(log.map(({ action }: { action: string }) => action)).toEqual(['api_key.create', 'agent.create']);
  });
});

describe('svc webhooks', () => {
  it('sends the input and output of runs to a webhook until the option is off', async () => {
    const create = ['webhooks', 'create', '--url', receiver.url];
    expect(await svc.json(create)).toMatchObject({ include_payloads: false });
    const { id, include_payloads } = await svc.json([...create, '--include-payloads']);
    expect(include_payloads).toBe(true);
    const shown = await svc.succeeds(['webhooks', 'update', id, '--description', 'all']);
    expect(shown).toMatch(/^Payloads +with the input and output of runs$/m);
    const excluded = await svc.json(['webhooks', 'update', id, '--exclude-payloads']);
    expect(excluded).toMatchObject({ include_payloads: false, description: 'all' });
    const again = await svc.json(['webhooks', 'update', id, '--include-payloads']);
    expect(again).toMatchObject({ include_payloads: true });
  });

  it('creates, shows, changes and deletes webhooks', async () => {
    const args = [
      'webhooks',
      'create',
      '--url',
      receiver.url,
      '--event',
      'agent.*',
      '--event',
      'deployment.failed',
    ];
    const created = await svc.json([...args, '--description', 'for ada', '--format', 'slack']);
    expect(created).toMatchObject({
      url: receiver.url,
      events: ['agent.*', 'deployment.failed'],
      format: 'slack',
      secret: expect.stringMatching(/^whsec_/),
    });
    expect(await svc.succeeds(['webhooks', 'get', created.id])).toMatch(/^Description +for ada$/m);
    expect(await svc.json(['webhooks', 'list'])).toEqual((await ada.api.get('/webhooks')).body);
    const changed = await svc.json([
      'webhooks',
      'update',
      created.id,
      '--inactive',
      '--event',
      '*',
      '--format',
      'text',
    ]);
    expect(changed).toMatchObject({
      is_active: false,
      events: ['*'],
      format: 'text',
      description: 'for ada',
    });
    const update = ['webhooks', 'update', created.id];
    expect((await svc.run(update)).code).toBe(2);
    expect((await svc.run([...update, '--include-payloads', '--exclude-payloads'])).code).toBe(2);
    expect((await svc.run(['webhooks', 'delete', created.id])).code).toBe(2);
    expect(await svc.json(['webhooks', 'delete', created.id, '--yes'])).toEqual({ deleted: created.id });
    expect((await svc.run(['webhooks', 'get', created.id])).stderr).toContain('Webhook not found');
  });

  it('accepts a secret from standard input only', async () => {
    const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`;
    const args = ['webhooks', 'create', '--url', receiver.url, '--inactive', '--secret-stdin'];
    const created = await svc.json(args, { input: `${secret}\n` });
    expect(created.secret).toBe(secret);
    const rotated = await svc.json(['webhooks', 'rotate-secret', created.id]);
    expect(rotated.secret).not.toBe(secret);
    expect((await svc.run(['webhooks', 'create', '--url', receiver.url, '--secret', secret])).code).toBe(2);
  });

  it('tests a webhook, lists its deliveries, and sends a delivery again', async () => {
    const { id } = await svc.json(['webhooks', 'create', '--url', receiver.url]);
    const tested = await svc.json(['webhooks', 'test', id]);
    expect(tested).toMatchObject({ status: 'test_delivered', status_code: 200 });
    const args = ['webhooks', 'deliveries', id, '--succeeded', '--event', 'webhook.test'];
    expect(await svc.json(args)).toEqual([expect.objectContaining({ id: tested.delivery_id })]);
    expect(await svc.json(['webhooks', 'deliveries', id, '--unsuccessful'])).toEqual([]);
    expect(await svc.succeeds(args)).toMatch(/webhook\.test +succeeded +200/);
    const again = await svc.run(['webhooks', 'redeliver', id, tested.delivery_id, '-o', 'json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ id: tested.delivery_id, status: 'pending' });
    expect(await svc.json(['webhooks', 'recover', id, '--since', '1d'])).toEqual({
      recovered: 0,
      has_more: false,
    });
  });

  it('exits with 1 and the reason when the receiver refuses the message', async () => {
    const { id } = await svc.json(['webhooks', 'create', '--url', 'http://127.0.0.1:9/']);
    const outcome = await svc.run(['webhooks', 'test', id]);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: [^\n]+\n$/);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { v7 as uuidv7 } from 'uuid';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent } from './builders/agents.js';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from './builders/people.js';
import { WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { printedBy, secretsIn } from './harness/secrets-made.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { takeViolations } from './harness/violations.js';

let app: TestApp;
let operator: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { ...WEBHOOK_SETTINGS, AUDIT_RETENTION_DAYS: '90' } });
  operator = await registerOperator(app);
});

afterAll(() => app.close());

const entriesOf = async (person: Person, query = '') =>
  (await person.api.get(`/audit?limit=500&${query}`)).body as Record<string, any>[];

/** Waits for an entry that is written in the background. */
const refusalOf = (person: Person, query: string) =>
  until(async () => (await entriesOf(person, `outcome=refused&${query}`))[0]);

/** Inserts an entry of this age directly into the table. */
const insertOld = (days: number) =>
  app.database.query<{ id: string }>(
    `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, details)
     VALUES ($2, now() - make_interval(days => $1::int), 'service', 'user.invite', 'user', 'success', '{}')
     RETURNING id`,
    [days, uuidv7({ msecs: Date.now() - days * 86_400_000 })],
  );

describe('The audit log', () => {
  it('has an entry for each action of a user, with its actor, target, address and request', async () => {
    const ann = await registerPerson(app);
    const login = await app.api.post('/auth/login', { email: ann.email, password: GOOD_PASSWORD });
    const agent = await createAgent(app, ann, { name: 'sorter' });
    const deployment = (await ann.api.post(`/agents/${agent.id}/deploy`)).body;
    await ann.api.post('/webhooks/deployment', {
      deployment_id: deployment.id,
      event: 'x',
      status: 'running',
    });
    await ann.api.post('/webhooks/agent-status', { agent_id: agent.id, status: 'running' });
    await ann.api.post(`/deployments/${deployment.id}/scale`, { replicas: 2 });
    await ann.api.post(`/agents/${agent.id}/stop`);
    await ann.api.post(`/deployments/${deployment.id}/restart`);
    await ann.api.delete(`/deployments/${deployment.id}`);
    const key = (await ann.api.post('/api-keys', { name: 'ci', scopes: ['read'] })).body;
    const next = (await ann.api.post(`/api-keys/${key.id}/rotate`)).body;
    await ann.api.delete(`/api-keys/${next.id}`);
    const url = 'http://127.0.0.1:9/a-path-that-is-secret';
    const hook = (await ann.api.post('/webhooks', { url })).body;
    await ann.api.patch(`/webhooks/${hook.id}`, { is_active: false, description: 'off' });
    await ann.api.post(`/webhooks/${hook.id}/rotate-secret`);
    await ann.api.delete(`/webhooks/${hook.id}`);
    const removed = await ann.api.delete(`/agents/${agent.id}`);
    expect([login.status, removed.status]).toEqual([200, 204]);

    const entries = await entriesOf(ann);
    expect(entries.reverse().map(({ action, target_id: id }) => [action, id])).toEqual([
      ['user.register', ann.id],
      ['user.login', ann.id],
      ['agent.create', agent.id],
      ['agent.deploy', agent.id],
      ['deployment.report', deployment.id],
      ['agent.report', agent.id],
      ['deployment.scale', deployment.id],
      ['agent.stop', agent.id],
      ['deployment.restart', deployment.id],
      ['deployment.kill', deployment.id],
      ['api_key.create', key.id],
      ['api_key.rotate', key.id],
      ['api_key.revoke', next.id],
      ['webhook.create', hook.id],
      ['webhook.update', hook.id],
      ['webhook.rotate_secret', hook.id],
      ['webhook.delete', hook.id],
      ['agent.delete', agent.id],
    ]);
    for (const entry of entries) {
      expect(entry).toMatchObject({ actor: `user:${ann.id}`, outcome: 'success', address: '127.0.0.1' });
    }
    expect(entries.at(-1)!.request_id).toBe(removed.headers.get('x-request-id'));
    const detailsOf = (action: string) => entries.find((entry) => entry.action === action)!.details;
    expect(detailsOf('agent.create')).toEqual({
      name: 'sorter',
      type: 'custom',
      api_key_id: expect.any(String),
    });
    expect(detailsOf('agent.deploy')).toEqual({
      deployment_id: deployment.id,
      config_version: 1,
      replaces: 'none',
    });
    expect(detailsOf('deployment.scale')).toEqual({ agent_id: agent.id, replicas: 2 });
    expect(detailsOf('api_key.create')).toMatchObject({ name: 'ci', scopes: ['read'], agent_id: null });
    expect(detailsOf('api_key.rotate').replaced_by).toBe(next.id);
    expect(detailsOf('webhook.create')).toEqual({ host: '127.0.0.1:9', events: ['*'] });
    expect(detailsOf('webhook.update').changed.sort()).toEqual(['description', 'is_active']);
  });

  it('names the API key that was used, so that everything it changed can be found', async () => {
    const ben = await registerPerson(app);
    const key = (await ben.api.post('/api-keys', { name: 'leaked' })).body;
    const byKey = app.api.as(key.key);
    const agent = (await byKey.post('/agents', { name: 'made by the key' })).body;
    const made = await entriesOf(ben, `actor=key:${key.id}`);
    expect(made.map(({ action, target_id: id }) => [action, id])).toEqual([['agent.create', agent.id]]);
  });

  it('has no entry of a refused action, and one entry of an action repeated under an Idempotency-Key', async () => {
    const cid = await registerPerson(app);
    const agent = await createAgent(app, cid);
    const deployment = (await cid.api.post(`/agents/${agent.id}/deploy`)).body;
    expect((await cid.api.post(`/deployments/${deployment.id}/restart`)).status).toBe(400);
    const headers = { 'Idempotency-Key': 'once' };
    for (let time = 0; time < 2; time++) await cid.api.post(`/agents/${agent.id}/stop`, {}, { headers });
    const actions = (await entriesOf(cid)).map(({ action }) => action);
    expect(actions).toEqual(['agent.stop', 'agent.deploy', 'agent.create', 'user.register']);
  });

  it('has an entry for a failed login, without the email that was sent', async () => {
    const dan = await registerPerson(app);
    await app.api.post('/auth/login', { email: dan.email, password: 'Wrong-horse-7' });
    const entry = await refusalOf(dan, 'action=user.login');
    expect(entry).toMatchObject({ actor: 'anonymous', target_id: dan.id, address: '127.0.0.1' });
    expect(entry.details).toEqual({ reason: 'Wrong password' });
    const unknown = await app.api.post('/auth/login', {
      email: 'nobody@example.com',
      password: 'Wrong-horse-7',
    });
    const requestId = unknown.headers.get('x-request-id');
    const logged = await until(async () => {
      const entries = await entriesOf(operator, 'outcome=refused&action=user.login');
      return entries.find(({ request_id: id }) => id === requestId);
    });
    expect(logged).toMatchObject({ target_id: null, details: { reason: 'Unknown address' } });
  });

  it('has an entry for forbidden requests, once a minute for each route and caller', async () => {
    const eve = await registerPerson(app);
    for (let time = 0; time < 3; time++) expect((await eve.api.get('/users')).status).toBe(403);
    const entry = await refusalOf(eve, 'action=route.call');
    expect(entry).toMatchObject({ actor: `user:${eve.id}`, target_type: 'route', target_id: null });
    expect(entry.details).toEqual({ method: 'GET', route: '/users', reason: 'Operators only' });
    expect((await eve.api.get('/leads')).status).toBe(403);
    await until(async () => (await entriesOf(eve, 'outcome=refused')).length > 1);
    const routes = (await entriesOf(eve, 'outcome=refused')).map(({ details }) => details.route);
    expect(routes).toEqual(['/leads', '/users']);
  });

  it('shows operators all entries, and users their own actions and the actions on their resources', async () => {
    const fay = await registerPerson(app);
    await operator.api.patch(`/users/${fay.id}`, { is_admin: false });
    const [change] = await entriesOf(fay);
    expect(change).toMatchObject({
      actor: `user:${operator.id}`,
      action: 'user.update',
      target_id: fay.id,
      details: { is_admin: false },
    });
    const own = await entriesOf(fay, 'include_total=true');
    expect(own.map(({ action }) => action)).toEqual(['user.update', 'user.register']);
    const stranger = await registerPerson(app);
    expect(await entriesOf(stranger, `target_id=${fay.id}`)).toEqual([]);
    expect((await entriesOf(operator, `target_id=${fay.id}`)).length).toBe(2);
  });

  it('filters by actor, action, target, outcome and time, separately and together', async () => {
    const gil = await registerPerson(app);
    const agent = await createAgent(app, gil);
    const [created, registered] = await entriesOf(gil);
    const ids = async (query: string) => (await entriesOf(gil, query)).map(({ id }) => id);
    expect(await ids(`actor=user:${gil.id}`)).toEqual([created!.id, registered!.id]);
    expect(await ids('action=agent.create')).toEqual([created!.id]);
    expect(await ids(`target_id=${agent.id}`)).toEqual([created!.id]);
    expect(await ids('outcome=refused')).toEqual([]);
    expect(await ids(`since=${created!.at}`)).toContain(created!.id);
    expect(await ids(`until=${registered!.at}`)).toEqual([]);
    expect(await ids(`actor=user:${gil.id}&action=user.register&outcome=success&since=2026-01-01`)).toEqual([
      registered!.id,
    ]);
    expect((await gil.api.get('/audit?action=nonsense')).status).toBe(422);
    expect((await gil.api.get('/audit?target_id=nonsense')).status).toBe(422);
  });

  it('streams all matching entries as JSON lines', async () => {
    const headers = { accept: 'application/x-ndjson' };
    await app.database.query(
      `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, details)
       SELECT make_uuidv7(), now(), 'service', 'user.invite', 'user', 'success', '{}' FROM generate_series(1, 1200)`,
    );
    const reply = await operator.api.get<string>('/audit?action=user.invite&limit=3', { headers });
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson');
    const ids = reply.body
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);
    expect(ids.length).toBe(1_200);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    const own = await registerPerson(app);
    const lines = (await own.api.get<string>('/audit', { headers })).body;
    expect(JSON.parse(lines).action).toBe('user.register');
  });

  it('refuses updates and deletes, also by the role of the service', async () => {
    for (const statement of [
      `UPDATE audit_log SET actor = 'nobody'`,
      'DELETE FROM audit_log',
      'TRUNCATE audit_log',
    ]) {
      await expect(app.database.query(statement)).rejects.toThrow('The audit log is append-only');
    }
  });

  it('is deleted only by the retention, when its entries are old enough', async () => {
    const [[young], [old]] = [await insertOld(89), await insertOld(91)];
    await until(() => app.app.get(PeriodicJobs).runOnce('auditRetention'));
    const rows = await app.database.query<{ id: string }>('SELECT id FROM audit_log WHERE id = ANY ($1)', [
      [young!.id, old!.id],
    ]);
    expect(rows).toEqual([{ id: young!.id }]);
  });

  it('uses an index for each filter, newest first', async () => {
    const hal = await registerPerson(app);
    await app.database.query(
      `INSERT INTO audit_log (id, at, actor, action, target_type, target_id, outcome, details, user_id, owner_id)
       SELECT make_uuidv7(), now(), 'user:' || owner, 'user.login', 'user', owner, 'success', '{}', owner, owner
       FROM (SELECT make_uuidv7() AS owner FROM generate_series(1, 20000)) AS owners`,
    );
    await app.database.query('ANALYZE audit_log');
    const conditions = {
      audit_log_user_id_id_idx: `user_id = '${hal.id}'`,
      audit_log_owner_id_id_idx: `owner_id = '${hal.id}'`,
      audit_log_actor_id_idx: `actor = 'user:${hal.id}'`,
      audit_log_action_id_idx: `action = 'agent.create'`,
      audit_log_target_id_id_idx: `target_id = '${hal.id}'`,
      audit_log_outcome_id_idx: `outcome = 'refused'`,
      audit_log_pkey: 'true',
    };
    for (const [index, condition] of Object.entries(conditions)) {
      const rows = await app.database.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT * FROM audit_log WHERE ${condition} ORDER BY id DESC LIMIT 101`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect([index, plan]).toEqual([index, expect.stringContaining(index)]);
      expect([index, plan]).toEqual([index, expect.not.stringContaining('Seq Scan')]);
    }
  });
});

describe('The secrets of a test suite', () => {
  it('are found in an output that contains them', async () => {
    const { key } = (await operator.api.post('/api-keys', { name: 'secret' })).body;
    expect(secretsIn(`{"details":{"key":"${key}"}}`)).toEqual([`${key.slice(0, 12)}...`]);
    expect(secretsIn(`password=${GOOD_PASSWORD}`)).toHaveLength(1);
    expect(secretsIn(operator.accessToken)).toHaveLength(1);
  });

  it('are found in the output of a process that has ended', async () => {
    const child = spawn('echo', [operator.refreshToken], { stdio: ['ignore', 'pipe', 'pipe'] });
    printedBy('the output of a process', child);
    await once(child, 'close');
    expect(takeViolations().map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Secrets are in the output of a process: /),
    ]);
  });
});
